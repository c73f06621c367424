"""A Prometheus of the test's own that scrapes one target."""
import json
import urllib.parse
import urllib.request

from lib import base, server

CONFIG = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs:
  - job_name: iolat
    honor_labels: true
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


class Prometheus:
    def __init__(self, stack, folder, port, rules, *flags):
        base.need_tool("prometheus")
        self.port = server.free_port()
        (folder / "config.yml").write_text(CONFIG.format(rules=rules, port=port))
        log = stack.enter_context(open(folder / "log", "w"))
        proc = base.start(["prometheus", f"--config.file={folder}/config.yml", f"--storage.tsdb.path={folder}/data",
                           f"--web.listen-address=127.0.0.1:{self.port}", *flags], stdout=log, stderr=log)
        stack.callback(base.put_down, proc)
        self.proc, self.log = proc, folder / "log"
        try:
            base.wait_until("a scrape", self._scraped, timeout=60, step=0.2)
        except AssertionError as e:
            raise AssertionError(f"{e}: {self.api('targets')['activeTargets']}") from e

    def _scraped(self):
        assert self.proc.poll() is None, f"prometheus has ended: {self.log.read_text()[-2000:]}"
        try:
            return self.value("up") == 1
        except OSError:  # it does not listen yet
            return False

    def api(self, path, **query):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=30) as reply:
            return json.load(reply)["data"]

    def query(self, promql):
        """The vector: [(labels, value)]; of native histograms, the value is the histogram."""
        return [(r["metric"], float(r["value"][1]) if "value" in r else r["histogram"][1])
                for r in self.api("query", query=promql)["result"]]

    def value(self, promql):
        """The one number it comes to, or None while there is none."""
        found = self.query(promql)
        assert len(found) <= 1, found
        return found[0][1] if found else None
