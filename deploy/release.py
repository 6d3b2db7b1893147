"""What a release has beside its wheel and its kit, which lie in dist/ (`make release`):

    .venv/bin/python -m deploy.release [--base-as-it-is]

- topograph-VERSION-….cdx.json: what is inside the kit, as CycloneDX 1.6: every package with its
  version, licence, and the SHA-256 of its wheel.
- topograph-VERSION-image-MACHINE.tar: the container image for this processor, where Docker or
  Podman is there; else it says so. Its base is fetched anew, for its latest repairs, unless
  --base-as-it-is is given.
- SHA256SUMS of all of these.

Nothing is published. It exits with 1 where the image could not be built; the rest is made then.
"""

import email.message
import email.parser
import hashlib
import io
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

from deploy.kit.build import ROOT, kit_name, newest_wheel

CLASSIFIER = "License :: "
NO_KIT = "There is no kit {path}. Build it first: make kit."
NO_ENGINE = (
    "No image: neither Docker nor Podman answers here. Build it where one does: docker build ."
)
NOT_BUILT = (
    "No image: {program} could not build it; the lines above say why. Where no registry can be"
    " reached, but python:3.11-slim is there: make release OPTIONS=--base-as-it-is"
)
AS_IT_IS = "--base-as-it-is"
LONGEST_NAME = 80  # of a licence: some packages have its whole text there


def metadata_of(wheel: bytes) -> email.message.Message:
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.parser.BytesParser().parsebytes(archive.read(name))


def licences_of(metadata: email.message.Message) -> list[LicenseExpression | DisjunctiveLicense]:
    """As the package states them: its expression, else its classifiers, else its own word."""
    expression = metadata.get("License-Expression")
    if expression:
        return [LicenseExpression(expression)]
    classifiers = [
        value.rpartition(" :: ")[2]
        for value in metadata.get_all("Classifier", [])
        if value.startswith(CLASSIFIER)
    ]
    named = classifiers or [metadata.get("License") or ""]
    return [DisjunctiveLicense(name=name) for name in named if 0 < len(name) <= LONGEST_NAME]


def component(wheel: bytes, kind: ComponentType = ComponentType.LIBRARY) -> Component:
    metadata = metadata_of(wheel)
    name = metadata["Name"]
    version = metadata["Version"]
    address = PackageURL("pypi", name=name.lower().replace("_", "-"), version=version)
    return Component(
        name=name,
        version=version,
        type=kind,
        purl=address,
        bom_ref=str(address),
        licenses=licences_of(metadata),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(wheel).hexdigest())],
    )


def list_of(kit: Path) -> str:
    """CycloneDX, as JSON, of all wheels in a kit; the first component is Topograph itself."""
    bom = Bom()
    with tarfile.open(kit) as archive:
        for member in archive:
            if not member.name.endswith(".whl"):
                continue
            packed = archive.extractfile(member)
            assert packed is not None  # a wheel is a file
            wheel = packed.read()
            if Path(member.name).name.startswith("topograph-"):
                bom.metadata.component = component(wheel, ComponentType.APPLICATION)
            else:
                bom.components.add(component(wheel))
    if bom.metadata.component is not None:
        bom.register_dependency(bom.metadata.component, bom.components)
    return make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=2)


def engine() -> str | None:
    """The program of a container engine that answers."""
    for name in ("docker", "podman"):
        if shutil.which(name) is None:
            continue
        if subprocess.run([name, "info"], capture_output=True).returncode == 0:
            return name
    return None


def save_image(program: str, target: Path, version: str, fetches_base: bool) -> bool:
    """Build the image and write it to a file, as `docker load` reads it. Whether it could be built.

    program: the container engine. fetches_base: whether the base image is asked of its registry."""
    name = f"topograph:{version}"
    build = [program, "build", *(["--pull"] if fetches_base else []), "--tag", name, str(ROOT)]
    if subprocess.run(build).returncode:
        return False
    subprocess.run([program, "save", "--output", str(target), name], check=True)
    return True


def write_sums(folder: Path, version: str) -> Path:
    """As `sha256sum --check SHA256SUMS` reads it."""
    lines = []
    for path in sorted(folder.glob(f"topograph-{version}-*")):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    sums = folder / "SHA256SUMS"
    sums.write_text("".join(lines), encoding="utf-8")
    return sums


def main(arguments: list[str]) -> int:
    folder = ROOT / "dist"
    version = newest_wheel(folder).name.split("-")[1]
    kit = folder / f"{kit_name(version)}.tar"
    if not kit.exists():
        sys.exit(NO_KIT.format(path=kit))
    kit.with_suffix(".cdx.json").write_text(list_of(kit), encoding="utf-8")
    image = folder / f"topograph-{version}-image-{platform.machine()}.tar"
    program = engine()
    is_built = program is None or save_image(program, image, version, AS_IT_IS not in arguments)
    print(write_sums(folder, version).read_text(encoding="utf-8"), end="")
    if program is None:
        print(NO_ENGINE)
    if not is_built:
        print(NOT_BUILT.format(program=program))
    return 0 if is_built else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
