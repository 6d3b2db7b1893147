"""Firefox as Debian ships it, driven by its own Marionette protocol: JSON over a socket, which
needs no driver and no package.
https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html"""

import base64
import json
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

ELEMENT = (  # the key of an element's id, by the WebDriver standard
    "element-6066-11e4-a52e-4f735466cecf"
)
SECONDS = 120.0
PREFERENCES = {
    "marionette.port": 0,  # any that is free
    "app.normandy.enabled": False,
    "app.update.auto": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "devtools.console.stdout.content": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}
# Errors of pages' scripts and breaches of their content security policy, and what they say with
# console.error.
WRONG = """
const {Services} = globalThis;
const storage = Cc["@mozilla.org/consoleAPI-storage;1"].getService(Ci.nsIConsoleAPIStorage);
const errors = Services.console.getMessageArray().filter((m) => m instanceof Ci.nsIScriptError
    && !(m.flags & (Ci.nsIScriptError.warningFlag | Ci.nsIScriptError.infoFlag)) && m.sourceName.startsWith("http")
    || m instanceof Ci.nsIScriptError && m.category === "CSP_CSPViolationWithURI");
const said = storage.getEvents().filter((e) => e.level === "error" && (e.filename || "").startsWith("http"));
return [...errors.map((m) => `${m.sourceName}:${m.lineNumber} ${m.errorMessage}`),
        ...said.map((e) => `${e.filename} ${e.arguments.join(" ")}`)];
"""


class Refused(Exception):
    """What Firefox answered a command with: kind of error, and message."""


class Firefox:
    """One window of a Firefox of its own, with a profile in `folder`."""

    def __init__(self, binary: str, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True)
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});"
            for name, value in PREFERENCES.items()
        ]
        (folder / "user.js").write_text("\n".join(lines))
        argv = [
            binary,
            "--headless",
            "--no-remote",
            "--marionette",
            "--remote-allow-system-access",
            "--profile",
            folder,
        ]
        self.process = subprocess.Popen(
            argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
        try:
            self._socket = socket.create_connection(("127.0.0.1", self._port()), SECONDS)
            self._file = self._socket.makefile("rb")
            self._number = 0
            self._receive()  # its greeting
            self.ask(
                "WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": {"implicit": 0}}}
            )
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def _port(self) -> int:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                return int((self.folder / "MarionetteActivePort").read_text())
            except (OSError, ValueError):
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise TimeoutError("Firefox did not say at which port it listens") from None
                time.sleep(0.1)

    def _receive(self) -> Any:
        size = b""
        while (byte := self._file.read(1)) != b":":
            if not byte:
                raise ConnectionError("Firefox has ended")
            size += byte
        return json.loads(self._file.read(int(size)))

    def ask(self, command: str, **parameters: Any) -> Any:
        """The result of one command. Raises Refused."""
        self._number += 1
        message = json.dumps([0, self._number, command, parameters]).encode()
        self._socket.sendall(str(len(message)).encode() + b":" + message)
        _, _, error, result = self._receive()
        if error:
            raise Refused(f"{error['error']}: {error['message']}")
        return result.get("value", result) if isinstance(result, dict) else result

    def quit(self) -> None:
        try:
            self.ask("Marionette:Quit", flags=["eForceQuit"])
        except (ConnectionError, OSError, Refused):
            pass
        self._file.close()
        self._socket.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    # A page.

    def go(self, url: str) -> None:
        self.ask("WebDriver:Navigate", url=url)

    @property
    def url(self) -> str:
        return self.ask("WebDriver:GetCurrentURL")

    def run(self, script: str, *arguments: Any) -> Any:
        """What a function of this body returns in the page."""
        return self.ask(
            "WebDriver:ExecuteScript", script=script, args=list(arguments), newSandbox=True
        )

    def wait(self, script: str, *arguments: Any, seconds: float = SECONDS) -> Any:
        """What it returns, once that is true."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if value := self.run(script, *arguments):
                    return value
            except Refused as refused:  # the page was left meanwhile
                if "unload" not in str(refused) and "discarded" not in str(refused):
                    raise
            if time.monotonic() > deadline:
                text = self.run(
                    "return document.title + '\\n' + document.body.innerText.slice(0, 2000)"
                )
                raise TimeoutError(f"{script} at {self.url}:\n{text}")
            time.sleep(0.1)

    def element(self, selector: str) -> str:
        """The id of the first element, once it is there."""
        self.wait("return !!document.querySelector(arguments[0])", selector)
        return self.ask("WebDriver:FindElement", using="css selector", value=selector)[ELEMENT]

    def click(self, selector: str) -> None:
        self.ask("WebDriver:ElementClick", id=self.element(selector))

    def keys(self, selector: str, text: str, clear: bool = False) -> None:
        """Type a text, or name the file of a field for files."""
        element = self.element(selector)
        if clear:
            self.ask("WebDriver:ElementClear", id=element)
        self.ask("WebDriver:ElementSendKeys", id=element, text=text)

    def press(self, words: str) -> None:
        """Click the button or link that is shown with these words."""
        self.wait(
            "const e = [...document.querySelectorAll('button, a, summary')].find(e =>"
            " e.innerText.trim() === arguments[0] && e.getClientRects().length);"
            " document.querySelector('[data-pressed]')?.removeAttribute('data-pressed');"
            " e?.setAttribute('data-pressed', ''); return !!e",
            words,
        )
        self.click("[data-pressed]")

    def text(self, selector: str) -> str:
        return self.ask("WebDriver:GetElementText", id=self.element(selector))

    def size(self, width: int, height: int) -> None:
        self.ask("WebDriver:SetWindowRect", width=width, height=height)

    def picture(self, path: Path, full: bool = False) -> None:
        path.write_bytes(
            base64.b64decode(self.ask("WebDriver:TakeScreenshot", full=full, hash=False))
        )

    def wrong(self) -> list[str]:
        """What went wrong in pages since the browser began: errors of scripts, console.error,
        breaches of the policy."""
        self.ask("Marionette:SetContext", value="chrome")
        try:
            return self.run(WRONG)
        finally:
            self.ask("Marionette:SetContext", value="content")
