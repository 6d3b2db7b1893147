"""Names of months, without accents: the languages of Europe, and Turkish, Indonesian, Arabic, Hebrew,
Thai."""

_OF_MONTHS = """
jan january januar jaenner janner janvier janv enero ene gennaio gen janeiro januari tammikuu
tammikuuta styczen stycznia sty ledna leden januara ianuarie ian ocak oca januarius ianuarii
gener xaneiro január jaanuar janvaris sausis sausio januaro ιανουαριος ιανουαριου ιαν январь
января янв січень січня януари јануар يناير ינואר มกราคม ม.ค.|
feb february februar feber fevrier fevr fev febrero febbraio fevereiro februari helmikuu
helmikuuta luty lutego lut unora unor februara februarie subat sub februarius februarii febrer
febreiro veebruar februaris vasaris vasario februaro φεβρουαριος φεβρουαριου φεβ февраль февраля
фев лютий лютого февруари фебруар فبراير شباط פברואר กุมภาพันธ์ ก.พ.|
mar march marz maerz mars marzo marco maart mrt maaliskuu maaliskuuta marzec marca brezna brezen
marec martie mart maret marcius martius martii marts martsi kovas kovo marto μαρτιος μαρτιου μαρ
март марта мар березень березня مارس اذار מרץ มีนาคม มี.ค.|
apr april avril avr abril abr aprile huhtikuu huhtikuuta kwiecien kwietnia kwi dubna duben
aprila aprilie nisan nis aprilis aprill balandis balandzio aprilo απριλιος απριλιου απρ апрель
апреля апр квітень квітня април ابريل نيسان אפריל เมษายน เม.ย.|
may mai mayo maggio mag maio mei maj toukokuu toukokuuta maja kvetna kveten mayis majus maius
maii maig maijs geguze geguzes majo μαιος μαιου μαι май мая травень травня мај مايو ايار מאי
พฤษภาคม พ.ค.|
jun june juni juin junio giugno giu junho kesakuu kesakuuta czerwiec czerwca cze cervna cerven
juna iunie iun haziran haz junius iunius iunii juny xuno juunis junijs birzelis birzelio ιουνιος
ιουνιου ιουν июнь июня июн червень червня юни јун يونيو حزيران יוני มิถุนายน มิ.ย.|
jul july juli juillet juil julio luglio lug julho heinakuu heinakuuta lipiec lipca lip cervence
cervenec jula iulie iul temmuz tem julius iulius iulii juliol xullo juuli julijs liepa liepos
ιουλιος ιουλιου ιουλ июль июля июл липень липня юли јул يوليو تموز יולי กรกฎาคม ก.ค.|
aug august augusta aout agosto ago agost augustus elokuu elokuuta sierpien sierpnia sie srpna
srpen agustos agu augusti agustus augusts rugpjutis rugpjucio augusto αυγουστος αυγουστου αυγ
август августа авг серпень серпня اغسطس اب אוגוסט สิงหาคม ส.ค.|
sep sept september septembre septiembre setiembre settembre set setembro syyskuu syyskuuta
wrzesien wrzesnia wrz zari septembra septembrie eylul eyl szeptember septembri setembre
septembris rugsejis rugsejo septembro σεπτεμβριος σεπτεμβριου σεπ сентябрь сентября сен вересень
вересня септември септембар سبتمبر ايلول ספטמבר กันยายน ก.ย.|
oct october octobre octubre ottobre ott okt oktober outubro out lokakuu lokakuuta pazdziernik
pazdziernika paz rijna rijen oktobra octombrie ekim eki octobris oktoober oktobris spalis spalio
oktobro οκτωβριος οκτωβριου οκτ октябрь октября окт жовтень жовтня октомври октобар اكتوبر
אוקטובר ตุลาคม ต.ค.|
nov november novembre noviembre novembro marraskuu marraskuuta listopad listopada lis listopadu
novembra noiembrie kasim kas novembris lapkritis lapkricio νοεμβριος νοεμβριου νοε ноябрь ноября
ноя листопад листопада ноември новембар نوفمبر נובמבר พฤศจิกายน พ.ย.|
dec december decembre diciembre dic dicembre dez dezember dezembro joulukuu joulukuuta grudzien
grudnia gru prosince prosinec decembra decembrie aralik ara desember des decembris desembre
detsember gruodis gruodzio decembro δεκεμβριος δεκεμβριου δεκ декабрь декабря дек грудень грудня
декември децембар ديسمبر דצמבר ธันวาคม ธ.ค.
"""

NUMBER_OF_MONTH = {
    name: number for number, names in enumerate(_OF_MONTHS.split("|"), 1) for name in names.split()
}
