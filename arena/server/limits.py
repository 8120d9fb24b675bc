"""How much of everything the server takes: each limit with its name, and none without."""

TABLES_MAX = 1_000
"""Open tables, without those that are asleep."""
TABLES_KEPT = 200
"""How many of these are for addresses without a table.  Once only they are left, places are short."""
TABLES_ASLEEP_MAX = 1_000
"""Tables that are asleep, beside the open ones; most of them wait for somebody who never comes back."""
TABLES_REMEMBERED = 1_000
"""Closed tables, the latest ones, of which the server still says why they were closed."""
TABLES_PER_ADDRESS = 20
"""Open tables that one address has made."""
TABLES_PER_LOOPBACK = 500
"""The same for loopback, from where a proxy or a host's own program speaks for many."""
SPECTATORS_MAX = 500
"""Spectators of one table."""
NICKNAME_MAX = 24
"""Characters; of a user's name too."""
USERS_MAX = 10_000
"""Users of the poker document; nobody is forgotten."""
USERS_AT_ONCE, USERS_PER_S = 100, 100 / 3600
"""New users of one address."""
PASSWORD_BYTES_MAX = 256
"""Bytes of a password in UTF-8."""
PASSWORDS_WAITING = 400
"""Passwords that wait to be hashed: after a restart each client sends one, and the last waits for 20 s."""
PASSWORDS_WAITING_PER_ADDRESS = 200
"""The same for one address, loopback too, so that nobody can take the whole queue."""
FAILURES_AT_ONCE, FAILURES_PER_S = 100, 1 / 3
"""Wrong names or passwords of one address."""
TRIES_AT_ONCE, TRIES_PER_S = 5, 1 / 60
"""Wrong passwords for one name from one address before they count among those: whoever has the right one is
not refused because somebody behind the same address guesses."""
CHAT_MAX = 500
"""Characters of a message."""
CHAT_KEPT = 100
"""Messages of a table that are kept."""
CHAT_AT_ONCE, CHAT_PER_S = 5, 0.5
"""Messages of one member: at once, and in a second over time."""
CHAT_AT_ONCE_PER_ADDRESS, CHAT_PER_S_PER_ADDRESS = 20, 2.0
"""Messages of one address, at all tables; loopback has no such limit."""
JOINS_AT_ONCE, JOINS_PER_S = 40, 0.5
"""People of one address who join tables; loopback has no such limit."""
LEAGUE_JOINS_AT_ONCE, LEAGUE_JOINS_PER_S = 200, 0.5
"""People of one address who join leagues, as classes do in the same minute; loopback has no such limit."""
MEMBERS_PER_ADDRESS = 16
"""People of one address at one table, seated or not."""
MEMBERS_PER_LOOPBACK = 300
"""The same for loopback."""
IDLE_S = 30 * 60.0
"""How many seconds after anything happened there a table is closed, if no match is being played."""
IDLE_EMPTY_S = 60.0
"""The same for a table at which nobody sits, while places are short."""
IDLE_PLAYING_S = 6 * 3600.0
"""The same in the middle of a match, where friends may play without a clock."""
ABSENT_S = 120.0
"""How many seconds its only person may be away before a match against house bots falls asleep."""
IDLE_ASLEEP_S = 7 * 86_400.0
"""How many seconds a table may be asleep before it is closed."""
NOTICE_S = 60.0
"""How many seconds before its end a table is warned."""
WORDS_MAX = 200
"""Characters of a move in words."""
WAITS_PER_ADDRESS = 256
"""Requests of one address that wait for a table to change."""
WAIT_MAX_S = 30.0
"""The longest wait of one request."""
RING_QUEUE_MAX = 100
"""Players who wait for a place at a ring table."""
TCP_CONNECTIONS_MAX = 1024
"""Bots that are connected over TCP; those of one address are fewer (`Quotas`)."""
GUESTS_PER_ADDRESS = 4
"""Guests of one address at the open table, where ten can sit; loopback has no such limit."""
TOKENS_AT_ONCE, TOKENS_PER_S = 20, 1 / 3
"""Unknown tokens of one address."""
QUESTIONS_AT_ONCE, QUESTIONS_PER_S = 6, 6 / 60
"""Questions of one address to house bots about finished matches; loopback has no such limit."""
QUESTION_S = 5.0
"""How many seconds a house bot has for such a question, its start and all its draws together."""
QUESTION_DRAWS = 20
"""How often it is asked, each time with other randomness of its own."""
QUESTION_TOLD_MAX = 20_000
"""How many events may have led to such a question: the bot is told them all, each time."""
TURNS_BEFORE_MAX = 1_000
"""Turns of a finished match after which another one may begin there: they are played again at once."""
STEPS_MAX = 200
"""Steps of a finished match in one answer."""
READERS = 2
"""Finished matches that are read at the same time."""
READING_PER_ADDRESS = 8
"""Requests of one address for finished matches that are being answered."""
RESULTS_MAX = 500
"""Results folders that are listed."""
MATCHES_MAX = 200
"""Matches of a results folder in one answer."""
LOG_BYTES_MAX = 64 << 10
"""Bytes of one log of a bot that are shown, its last ones."""
LOGS_BYTES_MAX = 256 << 10
"""Bytes of all logs of a bot that are shown, the latest ones."""
CHOSEN_MAX = 4_000_000
"""Numbers of matches that are kept of filters: four filters that each leave all of a million, 32 MB.
A filter itself counts as `FILTER_COST` of them."""
REPORT_BYTES_MAX = 4 << 20
"""Bytes of a report; one of 40 bots has half a megabyte."""
REPORT_S = 120.0
"""How many seconds making a report may take."""
REPORTS_KEPT = 200
"""Reports that are kept, the latest ones."""
REPORTS_IN_MEMORY = 4
"""Reports that are kept ready to be sent, those that were asked for last."""
REPORTS_WAITING = 20
"""Reports that wait to be made."""
