"""The watch over pages notices what it is there for."""

from playwright.sync_api import BrowserContext


def _troubles_of(context: BrowserContext, troubles: list[str], markup: str) -> list[str]:
    context.route(
        "http://127.0.0.1:1/",
        lambda route: route.fulfill(
            body=markup,
            headers={
                "Content-Type": "text/html",
                "Content-Security-Policy": "default-src 'none'; img-src data:",
            },
        ),
    )
    context.new_page().goto("http://127.0.0.1:1/")
    seen = list(troubles)
    troubles.clear()
    return seen


def test_a_refused_script_is_noticed(context: BrowserContext, troubles: list[str]) -> None:
    seen = _troubles_of(context, troubles, "<!doctype html><title>x</title><script>1</script>")
    assert any("script-src" in trouble for trouble in seen)


def test_a_refused_style_is_noticed(context: BrowserContext, troubles: list[str]) -> None:
    seen = _troubles_of(context, troubles, '<!doctype html><title>x</title><p style="color: red">x</p>')
    assert any("style-src" in trouble for trouble in seen)


def test_a_quiet_page_is_no_trouble(context: BrowserContext, troubles: list[str]) -> None:
    assert (
        _troubles_of(context, troubles, '<!doctype html><title>x</title><link rel="icon" href="data:,"><p>x</p>') == []
    )
