"""Opens 200 more connections and never sends anything on them."""

from honest import answer, dial, move, questions

CONNECTIONS = 200

silent = []
for question, now in questions():
    if now and not silent:
        for _ in range(CONNECTIONS):
            try:
                silent.append(dial())
            except OSError:
                break
    answer(question, move(question))
