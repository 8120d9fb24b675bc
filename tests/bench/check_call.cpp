// Plays Hold'em over TCP, in the plain protocol, and only checks and calls: the least that a compiled bot can do.

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

// The number behind `key`, looked for from `at` on.
static long number(const std::string& line, const char* key, size_t at) {
    const size_t found = line.find(key, at);
    return found == std::string::npos ? 0 : std::atol(line.c_str() + found + std::string(key).size());
}

static bool say(int connection, const std::string& text) {
    return send(connection, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

int main() {
    const int connection = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<uint16_t>(std::atoi(std::getenv("ARENA_PORT"))));
    inet_pton(AF_INET, "127.0.0.1", &place.sin_addr);
    if (connect(connection, reinterpret_cast<sockaddr*>(&place), sizeof place) != 0) return 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    say(connection, std::string("{\"name\": \"") + std::getenv("ARENA_NAME") + "\"}\n");

    std::string unread;
    char piece[65536];
    for (ssize_t size; (size = recv(connection, piece, sizeof piece, 0)) > 0;) {
        unread.append(piece, static_cast<size_t>(size));
        for (size_t end; (end = unread.find('\n')) != std::string::npos; unread.erase(0, end + 1)) {
            const std::string line = unread.substr(0, end);
            const size_t turn = line.find("\"turn\":{");
            if (turn == std::string::npos) continue;
            const long id = number(line, "\"message_id\":\"", 0);
            const long owed = number(line, "\"bet_to_player\":", turn) - number(line, "\"bet_so_far\":", turn);
            char answer[128];
            std::snprintf(answer, sizeof answer,
                          "{\"message_id\": \"%ld\", \"move\": {\"action\": 1, \"betAmount\": %ld}}\n", id, owed);
            if (!say(connection, answer)) return 1;
        }
    }
    return 0;
}
