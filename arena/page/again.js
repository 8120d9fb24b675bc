// Asks for this page again after some seconds: a page with `#` in its address does not refresh by itself.
setTimeout(() => location.reload(), 1000 * document.currentScript.dataset.seconds);
