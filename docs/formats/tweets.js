window.YTD.tweets.part0 = [
 {
  "tweet": {
   "id_str": "1",
   "created_at": "Mon Oct 16 22:59:00 +0000 2017",
   "full_text": "I embrace with great satisfaction the opportunity which now presents itself.",
   "lang": "en"
  }
 },
 {
  "tweet": {
   "id_str": "2",
   "created_at": "Tue Oct 17 08:10:00 +0000 2017",
   "full_text": "The recent accession of the important State of North Carolina is a circumstance auspicious in a high degree.",
   "lang": "en"
  }
 }
]
