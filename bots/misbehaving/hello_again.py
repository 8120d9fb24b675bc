"""Now and then says hello for the full protocol in mid-match, under another name, instead of an answer."""

from honest import answer, greeting, move, questions, send_raw

for question, now in questions():
    if now:
        send_raw(greeting(type="hello", protocol=1, name="somebody else"))
    else:
        answer(question, move(question))
