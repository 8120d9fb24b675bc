"""Now and then answers a question that was never asked."""

from honest import answer, move, questions

for question, now in questions():
    if now:
        question = {**question, "message_id": "987654321"}
    answer(question, move(question))
