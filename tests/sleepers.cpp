// Many bots in one process that answer each question a fixed time after it came:
//
//     sleepers STAMPS PORT DELAY_S TOKEN:COUNT...
//
// 128 answers that are due at once are late by microseconds.  At its end it prints how late it was itself, in seconds,
// and leaves in the file STAMPS a line for each answer: the port it went to, the one it came from, the question's id,
// and the moment (CLOCK_MONOTONIC, in nanoseconds) at which `write` had returned: from then on the answer was in the
// kernel's hands.
//
// As a bot that the arena starts it is one connection, and knows PORT and TOKEN from its environment; the two ports
// are the end of its file's name:
//
//     sleepers STAMPS DELAY_S
#include <algorithm>
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <netinet/tcp.h>
#include <queue>
#include <string>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

static double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static const char* after(const char* text, const char* key) {
    const char* found = strstr(text, key);
    return found ? found + strlen(key) : "";
}

// The answer to a question: bids low on turn, raises once in a while, doubts what cannot well be.
static std::string answer(const char* question, int id) {
    int face = 0, count = 0, dice = 0;
    sscanf(after(question, "\"last_bid\":"), "[%d,%d]", &face, &count);
    const char* hands = after(question, "\"other_hands\":");
    std::string move = "\"pass\"";
    if (strncmp(hands, "[[\"yourself\"", 12) == 0) {
        for (const char* at = hands; *at && strncmp(at, "]]", 2) != 0; at++)
            if (at[0] == '"' && at[1] == ',') dice += atoi(at + 2);
        if (count == 0) move = "[1,1]";
        else if (count * 2 > dice) move = "\"challenge\"";
        else move = "[6," + std::to_string(count + 1) + "]";
    }
    return "{\"message_id\":" + std::to_string(id) + ",\"move\":" + move + "}";
}

struct Due {
    double at;
    int fd, id;
    std::string text;
    bool operator<(const Due& other) const { return at > other.at; }
};

int main(int words, char** word) {
    prctl(PR_SET_TIMERSLACK, 1);
    const bool is_started = words == 3;
    std::string name(word[1]);
    if (is_started) name = std::string(getenv("ARENA_SCRATCH")) + "/" + name;
    int port = atoi(is_started ? getenv("ARENA_PORT") : word[2]), poll = epoll_create1(0), open = 0;
    double delay_s = atof(word[is_started ? 2 : 3]);
    std::vector<std::string> groups(word + std::min(words, 4), word + words);
    if (is_started) groups.push_back(std::string(getenv("ARENA_TOKEN")) + ":1");
    std::map<int, int> ports;
    for (const std::string& token : groups) {
        size_t colon = token.find(':');
        for (int left = atoi(token.c_str() + colon + 1); left > 0; left--, open++) {
            int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_port = htons(port);
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            if (connect(fd, (sockaddr*)&address, sizeof address)) return perror("connect"), 1;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            std::string hello = "{\"name\":\"sleeper\",\"token\":\"" + token.substr(0, colon) + "\"}";
            if (write(fd, hello.data(), hello.size()) < 0) return 1;
            socklen_t size = sizeof address;
            getsockname(fd, (sockaddr*)&address, &size);
            ports[fd] = ntohs(address.sin_port);
            if (is_started) name += "-" + std::to_string(port) + "-" + std::to_string(ports[fd]);
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.fd = fd;
            epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
        }
    }
    FILE* stamps = fopen(name.c_str(), "w");
    if (!stamps) return perror(name.c_str()), 1;
    setvbuf(stamps, nullptr, _IOLBF, 0);  // whoever ends it finds every stamp
    std::priority_queue<Due> waiting;
    std::vector<double> late;
    static char question[65536];
    while (open) {
        while (!waiting.empty() && waiting.top().at <= now()) {
            const Due& due = waiting.top();
            if (write(due.fd, due.text.data(), due.text.size()) > 0) {
                double stamp = now();
                late.push_back(stamp - due.at);
                fprintf(stamps, "%d %d %d %.0f\n", port, ports[due.fd], due.id, stamp * 1e9);
            }
            waiting.pop();
        }
        timespec wait{1, 0};
        if (!waiting.empty()) wait = {0, std::max(0L, (long)((waiting.top().at - now()) * 1e9))};
        epoll_event events[256];
        int found = epoll_pwait2(poll, events, 256, &wait, nullptr);
        for (int i = 0; i < found; i++) {
            int fd = events[i].data.fd;
            ssize_t bytes = read(fd, question, sizeof question - 1);
            if (bytes <= 0) {
                close(fd);
                open--;
                continue;
            }
            question[bytes] = 0;
            int id = atoi(after(question, "\"message_id\":\""));
            waiting.push({now() + delay_s, fd, id, answer(question, id)});
        }
    }
    fclose(stamps);
    std::sort(late.begin(), late.end());
    auto at = [&](double share) { return late.empty() ? 0.0 : late[std::min(late.size() - 1, (size_t)(late.size() * share))]; };
    printf("{\"answers\": %zu, \"p50\": %g, \"p99\": %g, \"p99.9\": %g, \"worst\": %g}\n", late.size(), at(.5), at(.99), at(.999), at(1));
}
