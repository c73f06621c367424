"""A terminal for tests: a program in a tmux of its own, its screen as text, keys for it."""
import shlex

from lib import base


class Screen:
    """Runs argv in a terminal, in `folder`; a shell notes its exit status and the terminal's modes behind it."""

    def __init__(self, stack, folder, argv, columns=80, lines=24, term="tmux-256color", locale="C.UTF-8", **env):
        base.need_tool("tmux")
        self.socket, self.folder = folder / "tmux", folder
        words = [f"TERM={term}", f"LC_ALL={locale}", *(f"{k}={v}" for k, v in env.items())]
        script = (f"trap : INT; stty -a > {folder}/before; env -u LANG -u LC_CTYPE {shlex.join(words)} {shlex.join(map(str, argv))}; "
                  f"echo status $?; stty -a > {folder}/after; read -r end")
        stack.callback(self._tmux, "kill-server", check=False)
        self._tmux("new-session", "-d", "-c", folder, "-x", columns, "-y", lines, "sh", "-c", script)

    def _tmux(self, *words, check=True):
        # -u: tmux itself takes UTF-8 for granted.
        return base.sh("tmux", "-u", "-f", "/dev/null", "-S", self.socket, *words, check=check,
                       env=base.clean_env(SHELL="/bin/sh")).stdout

    @property
    def pid(self):
        """Of the shell."""
        return int(self._tmux("display-message", "-p", "#{pane_pid}"))

    def kill(self):
        """The terminal is gone."""
        self._tmux("kill-server")

    def keys(self, *names):
        """Keys by tmux's names."""
        self._tmux("send-keys", *names)

    def type(self, text):
        self._tmux("send-keys", "-l", text)

    def resize(self, columns, lines):
        self._tmux("resize-window", "-x", columns, "-y", lines)

    @property
    def text(self):
        return self._tmux("capture-pane", "-p")

    @property
    def lines(self):
        return self.text.splitlines()

    @property
    def attributes(self):
        """The screen with its escape sequences for colours and the like."""
        return self._tmux("capture-pane", "-p", "-e")

    @property
    def scrollback(self):
        return self._tmux("capture-pane", "-p", "-J", "-S", "-")

    @property
    def full(self):
        """The alternate screen is on."""
        return self._tmux("display-message", "-p", "#{alternate_on}").strip() == "1"

    def wait(self, condition):
        """Waits until the screen's text fulfils the condition, or contains that text."""
        fits = condition if callable(condition) else lambda text: condition in text

        def there():
            text = self.text
            return text if fits(text) else None
        try:
            return base.wait_until("the screen", there, step=0.05)
        except AssertionError:
            raise AssertionError(f"in vain, the screen was:\n{self.text}") from None

    def end(self):
        """Waits for the end; the status. The terminal must be as it was."""
        text = base.wait_until("the end", lambda: "status " in self.scrollback and self.scrollback, step=0.05)
        after = self.folder / "after"
        modes = base.wait_until("the modes", lambda: after.exists() and after.read_text())  # written at once
        assert modes == (self.folder / "before").read_text()
        assert not self.full
        return int(text.rsplit("status ", 1)[1].split()[0])
