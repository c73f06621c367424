"""A page in headless Chromium, driven through its debugging pipe: scripts, keys, and what it said and asked for."""
import json
import os
import select
import shutil
import time

from lib import base

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
         "--remote-debugging-pipe", "--window-size=1280,900"]
CODES = {"Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39, "ArrowLeft": 37, "End": 35, "Home": 36}


def program():
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    base.need(found, "chromium is not installed")
    return found


class Page:
    """The file in a browser of its own that knows nobody; `scripts` off as for who forbids them."""

    def __init__(self, stack, folder, file, scripts=True):
        self.said, self.asked_for = [], []
        self._count, self._rest = 0, b""
        self._start(stack, folder)
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self._call(f"{domain}.enable")
        self._call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self._loaded = False
        self._call("Page.navigate", url=f"file://{file}")
        while not self._loaded:
            self._take(self._read())

    def _start(self, stack, folder):
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        argv = [program(), *FLAGS, f"--user-data-dir={folder}/profile"]
        log = stack.enter_context(open(folder / "browser.log", "wb"))
        proc = base.start(["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "bash", *argv], stdout=log,
                          stderr=log, pass_fds=[theirs_in, theirs_out], env=base.clean_env(HOME=str(folder)))
        stack.callback(base.put_down, proc)
        for fd in (theirs_in, theirs_out):
            os.close(fd)
        for fd in (self._to, self._from):
            stack.callback(os.close, fd)

    # --- the protocol: JSON objects, each with a NUL behind it --------------------------

    def _read(self):
        end = time.monotonic() + base.LIMIT
        while b"\0" not in self._rest:
            assert select.select([self._from], [], [], max(0, end - time.monotonic()))[0], "the browser does not answer"
            got = os.read(self._from, 1 << 20)
            assert got, "the browser is gone"
            self._rest += got
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def _take(self, message):
        """What the page said by itself."""
        method, what = message.get("method"), message.get("params")
        if method == "Network.requestWillBeSent":
            self.asked_for.append(what["request"]["url"])
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.said.append(what)
        elif method == "Page.loadEventFired":
            self._loaded = True

    def _call(self, method, **params):
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if getattr(self, "_session", None):
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data):]
        while (answer := self._read()).get("id") != self._count:
            self._take(answer)
        assert "error" not in answer, answer
        return answer["result"]

    # --- what tests do --------------------------------------------------------------------

    def js(self, expression):
        """The value of an expression in the page."""
        got = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in got, got
        return got["result"].get("value")

    def text(self, selector="main"):
        """What a reader sees there."""
        return self.js(f"document.querySelector({json.dumps(selector)}).innerText")

    def press(self, key, times=1):
        for _ in range(times):
            how = dict(key=key, code="Space" if key == " " else key, windowsVirtualKeyCode=CODES[key])
            text = {"Enter": "\r", " ": " "}.get(key)
            self._call("Input.dispatchKeyEvent", type="keyDown", **how, **({"text": text} if text else {}))
            self._call("Input.dispatchKeyEvent", type="keyUp", **how)

    def tab_to(self, condition, most=80):
        """Presses Tab until the condition, an expression about the focused `e`, holds."""
        for _ in range(most):
            self.press("Tab")
            if self.js(f"(e => Boolean({condition}))(document.activeElement)"):
                return
        raise AssertionError(f"never got to {condition} with {most} Tabs")

    def prefer(self, **features):
        """prefer(prefers_color_scheme="dark"), as the reader's system does."""
        self._call("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def resize(self, width, height=900):
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
