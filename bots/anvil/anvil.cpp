// Anvil: Liar's Dice in C++17, standard library and POSIX sockets only, over the plain protocol (arena/wire/PROTOCOL.md).
//
// Every answer is a function of the question alone: nothing is remembered, nothing is random.
// It also serves as the lean bot in the arena's speed measurements.

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int faces = 6;               // plain questions do not tell the house rules: the default
constexpr double height = 0.02;        // how much truth a bid of one die more is worth
constexpr size_t object_bytes_max = 1 << 20;  // a longer one is not for us

// ---- JSON: just enough of it. A Reader walks over one complete object. ----

struct Reader {
    std::string_view text;
    size_t at = 0;

    void blank() {
        while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) ++at;
    }
    bool take(char wanted) {
        blank();
        if (at >= text.size() || text[at] != wanted) return false;
        ++at;
        return true;
    }
    // A string as it was written, without its quotes; escapes stay as they are.
    std::string_view quoted() {
        if (!take('"')) return {};
        const size_t start = at;
        while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
        const size_t end = std::min(at, text.size());
        at = std::min(end + 1, text.size());
        return text.substr(start, end - start);
    }
    int integer() {
        blank();
        const bool negative = at < text.size() && text[at] == '-' && ++at;
        long value = 0;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9') value = std::min(value * 10 + (text[at++] - '0'), 1000000L);
        return static_cast<int>(negative ? -value : value);
    }
    // Any value, as it was written.
    std::string_view value() {
        blank();
        const size_t start = at;
        int depth = 0;
        do {
            blank();
            if (at >= text.size()) break;
            const char c = text[at];
            if (c == '"') { quoted(); continue; }
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') {
                if (depth == 0) break;  // the end of what holds us
                --depth;
            }
            if (c == ',' && depth == 0) break;
            ++at;
            if (depth == 0 && c != '}' && c != ']') {  // the rest of a number or a word
                while (at < text.size() && !std::strchr(",}] \t\r\n", text[at])) ++at;
            }
        } while (depth > 0);
        at = std::min(at, text.size());
        return text.substr(start, at - start);
    }
    // The next element of a list that was entered with take('['); false at its end.
    bool next(bool& first) {
        blank();
        if (at >= text.size() || take(']')) return false;
        if (!first && !take(',')) return false;
        first = false;
        return at < text.size();
    }
};

struct Question {
    std::string_view message_id;  // as written: a string with its quotes, or a number
    int own[faces + 1] = {};      // how many dice of each face it holds
    int own_dice = 0;
    int dice = 0;   // in play
    int seats = 0;  // still in
    bool on_turn = false;
    bool own_bid = false;
    int face = 0, count = 0;  // the last bid; 0, 0: none
    std::string_view bye;     // no question at all: the arena refused us, and why
};

void read_hand(Reader& reader, Question& question) {
    bool first = true;
    for (reader.take('['); reader.next(first);) {
        const int die = reader.integer();
        if (die >= 1 && die <= faces) ++question.own[die];
        ++question.own_dice;
    }
}

void read_hands(Reader& reader, Question& question) {
    bool first = true;
    for (reader.take('['); reader.next(first);) {
        if (!reader.take('[')) return;
        const bool own = reader.quoted() == "yourself";
        reader.take(',');
        question.dice += reader.integer();
        reader.take(']');
        if (question.seats++ == 0) question.on_turn = own;
    }
}

// False: this is no question.
bool read_question(std::string_view object, Question& question) {
    Reader reader{object};
    if (!reader.take('{')) return false;
    while (true) {
        const std::string_view key = reader.quoted();
        if (!reader.take(':')) break;
        if (key == "message_id") {
            question.message_id = reader.value();
        } else if (key == "your_hand") {
            read_hand(reader, question);
        } else if (key == "other_hands") {
            read_hands(reader, question);
        } else if (key == "last_bid") {
            reader.take('[');
            question.face = reader.integer();
            reader.take(',');
            question.count = reader.integer();
            reader.take(']');
        } else if (key == "reason") {
            question.bye = reader.quoted();
        } else if (key == "last_bidder") {
            question.own_bid = reader.quoted() == "yourself";
        } else {
            reader.value();
        }
        if (!reader.take(',')) break;
    }
    return !question.message_id.empty() && question.seats > 0;
}

// ---- Play. ----

// The probability that at least `needed` of `dice` hidden dice show a given face.
double at_least(int needed, int dice) {
    if (needed <= 0) return 1;
    if (needed > dice) return 0;
    constexpr double p = 1.0 / faces, q = 1 - p;
    double term = 1, below = 0;  // term: P(exactly k)
    for (int k = 0; k < dice; ++k) term *= q;
    for (int k = 0; k < needed; ++k) {
        below += term;
        term *= p / q * (dice - k) / (k + 1);
    }
    return std::max(0.0, 1 - below);
}

double likelihood(const Question& question, int face, int count) {
    const int own = face >= 1 && face <= faces ? question.own[face] : 0;
    return at_least(count - own, question.dice - question.own_dice);
}

std::string decide(const Question& question) {
    const bool is_bid = question.count > 0;
    const double wrong = is_bid ? 1 - likelihood(question, question.face, question.count) : 0;
    if (!question.on_turn)
        return is_bid && !question.own_bid && wrong > 1 - 0.5 / question.seats ? "\"challenge\"" : "\"pass\"";
    int best_face = 0, best_count = 0;
    double best = -1, best_truth = 0;
    for (int face = 1; face <= faces; ++face) {
        // The lowest bid on this face, or as many as it holds: above that, truth falls faster than height pays.
        const int lowest = std::max(1, face > question.face ? question.count : question.count + 1);
        for (int count = lowest; count <= question.dice; ++count) {
            const double truth = likelihood(question, face, count), worth = truth + height * count;
            if (worth > best) best = worth, best_truth = truth, best_face = face, best_count = count;
            if (truth < 0.5) break;
        }
    }
    if (is_bid && (best_face == 0 || wrong > best_truth)) return "\"challenge\"";
    return "[" + std::to_string(best_face) + ", " + std::to_string(best_count) + "]";
}

// ---- The connection. ----

// Finds where objects end in bytes that may be split anywhere.
class Objects {
public:
    // Calls `found` with each object that is complete now.
    template <class Found>
    void feed(const char* bytes, size_t length, Found found) {
        buffer.append(bytes, length);
        size_t start = 0;
        for (; scanned < buffer.size(); ++scanned) {
            const char c = buffer[scanned];
            if (escaped) escaped = false;
            else if (in_string) { if (c == '\\') escaped = true; else if (c == '"') in_string = false; }
            else if (c == '"') in_string = depth > 0;
            else if (c == '{') { if (depth++ == 0) start = scanned; }
            else if (c == '}' && depth > 0 && --depth == 0) {
                found(std::string_view(buffer).substr(start, scanned + 1 - start));
                start = scanned + 1;
            }
        }
        if (depth == 0) start = buffer.size();
        buffer.erase(0, start);
        scanned = buffer.size();
        if (buffer.size() > object_bytes_max) { buffer.clear(); scanned = 0; depth = 0; in_string = escaped = false; }
    }

private:
    std::string buffer;  // begins with the object that is not complete yet
    size_t scanned = 0;
    int depth = 0;
    bool in_string = false, escaped = false;
};

int connect_to(const char* host, const char* port) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, port, &hints, &found) != 0) return -1;
    int connection = -1;
    for (addrinfo* address = found; address && connection < 0; address = address->ai_next) {
        connection = socket(address->ai_family, address->ai_socktype, address->ai_protocol);
        if (connection >= 0 && connect(connection, address->ai_addr, address->ai_addrlen) != 0) {
            close(connection);
            connection = -1;
        }
    }
    freeaddrinfo(found);
    const int yes = 1;
    if (connection >= 0) setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return connection;
}

bool send_all(int connection, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = send(connection, text.data(), text.size(), 0);
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
}

// A JSON string of printable text.
std::string quote(const char* text) {
    std::string quoted = "\"";
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') quoted += '\\';
        quoted += *text;
    }
    return quoted + '"';
}

std::string greeting() {
    const char *name = std::getenv("ARENA_NAME"), *token = std::getenv("ARENA_TOKEN");
    std::string text = "{\"name\": " + quote(name && *name ? name : "anvil");
    if (token && *token) text += ", \"token\": " + quote(token);
    return text + "}\n";
}

}  // namespace

int main() {
    std::signal(SIGPIPE, SIG_IGN);  // an arena that has gone is told by send()
    const char *host = std::getenv("ARENA_HOST"), *port = std::getenv("ARENA_PORT");
    if (!port) {
        std::fputs("anvil: tell it where to connect: ARENA_PORT=8888 build/anvil\n", stderr);
        return 2;
    }
    const int connection = connect_to(host ? host : "127.0.0.1", port);
    if (connection < 0 || !send_all(connection, greeting())) {
        std::fprintf(stderr, "anvil: no arena listens on %s:%s\n", host ? host : "127.0.0.1", port);
        return 2;
    }
    Objects objects;
    std::string answers;
    std::vector<char> chunk(1 << 16);
    for (ssize_t length; (length = recv(connection, chunk.data(), chunk.size(), 0)) > 0;) {
        answers.clear();
        objects.feed(chunk.data(), static_cast<size_t>(length), [&](std::string_view object) {
            Question question;
            if (!read_question(object, question)) {
                const int length = static_cast<int>(question.bye.size());
                if (length) std::fprintf(stderr, "anvil: the arena says bye: %.*s\n", length, question.bye.data());
                return;
            }
            answers.append("{\"message_id\": ").append(question.message_id);
            answers.append(", \"move\": ").append(decide(question)).append("}\n");
        });
        if (!send_all(connection, answers)) break;
    }
    close(connection);
    return 0;
}
