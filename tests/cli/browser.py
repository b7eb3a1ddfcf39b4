"""Headless Chromium, driven over a pipe by its DevTools protocol: enough of it to ask a page how it
looks. Needs nothing but the browser and Python's own library."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def installed():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page; `with Browser() as page`. `requests` are the addresses it asked for beyond its own,
    `complaints` what its console said."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()

        def place_pipes():  # the browser reads commands from 3 and answers on 4
            read, write = os.dup(to_read), os.dup(back_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        # --no-sandbox: tests run in containers, as root too. No host resolves.
        self.process = subprocess.Popen(
            [installed(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=place_pipes)
        os.close(to_read)
        os.close(back_write)
        self.next, self.buffer, self.events = 0, b"", []
        self.requests, self.complaints, self.session = [], [], None
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"],
                                flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.profile.cleanup()

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.back], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self.back, 1 << 16) if ready else b""
            assert data, "the browser does not answer"
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        method, body = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(body["request"]["url"])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(body["args"]))
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(body["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.complaints.append(body["entry"]["text"])
        return message

    def ask(self, method, **parameters):
        self.next += 1
        message = {"id": self.next, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.next:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer.get("method"))

    def open(self, address):
        self.events.clear()
        self.ask("Page.navigate", url=address)
        deadline = time.monotonic() + 60
        while "Page.loadEventFired" not in self.events:
            self.events.append(self.receive(deadline).get("method"))

    def look(self, width, height, scheme, phone=False):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=phone)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])

    def value(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))
