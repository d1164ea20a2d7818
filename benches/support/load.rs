//! A load that costs little: prebuilt requests on keep-alive connections, one thread.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// What one round gave.
pub struct Round {
    /// From the first request to the last answer.
    pub elapsed: Duration,
    /// One for each request, in ascending order.
    pub latencies: Vec<Duration>,
    /// The size of an answer, head and body.
    pub bytes: usize,
}

impl Round {
    /// Requests answered in a second.
    pub fn rate(&self) -> f64 {
        self.latencies.len() as f64 / self.elapsed.as_secs_f64()
    }

    /// The latency that this share of all requests did not exceed.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
    pub fn percentile(&self, share: f64) -> Duration {
        self.latencies[((self.latencies.len() - 1) as f64 * share) as usize]
    }
}

/// Sends `count` requests in all, taken from `requests` in turn, over `connections` at once; every answer must be 200.
pub fn round(address: SocketAddr, requests: &Arc<[Vec<u8>]>, connections: usize, count: usize) -> Round {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut streams = Vec::new();
        for _ in 0..connections {
            let stream = TcpStream::connect(address).await.unwrap();
            stream.set_nodelay(true).unwrap();
            streams.push(stream);
        }
        let start = Instant::now();
        let each = count / connections;
        let tasks: Vec<_> = streams
            .into_iter()
            .enumerate()
            .map(|(number, stream)| tokio::spawn(ask(stream, Arc::clone(requests), number * each, each)))
            .collect();
        let (mut latencies, mut bytes) = (Vec::with_capacity(count), 0);
        for task in tasks {
            let (of_one, size) = task.await.unwrap();
            latencies.extend(of_one);
            bytes = size;
        }
        let elapsed = start.elapsed();
        latencies.sort_unstable();
        Round { elapsed, latencies, bytes }
    })
}

async fn ask(mut stream: TcpStream, requests: Arc<[Vec<u8>]>, first: usize, count: usize) -> (Vec<Duration>, usize) {
    let (mut latencies, mut size) = (Vec::with_capacity(count), 0);
    let mut buffer = vec![0; 64 * 1024];
    for number in first..first + count {
        let start = Instant::now();
        stream.write_all(&requests[number % requests.len()]).await.unwrap();
        let (mut filled, mut wanted) = (0, usize::MAX);
        while filled < wanted {
            let read = stream.read(&mut buffer[filled..]).await.unwrap();
            assert!(read > 0, "the server closed: {}", String::from_utf8_lossy(&buffer[..filled]));
            filled += read;
            if wanted == usize::MAX {
                wanted = length(&buffer[..filled]).unwrap_or(usize::MAX);
            }
        }
        latencies.push(start.elapsed());
        size = wanted;
    }
    (latencies, size)
}

/// The length of the whole answer, once its head is there.
fn length(answer: &[u8]) -> Option<usize> {
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let text = std::str::from_utf8(&answer[..head]).unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    let line = text.lines().find(|line| line.len() > 15 && line[..15].eq_ignore_ascii_case("content-length:"));
    let body: usize = line.expect("an answer with a Content-Length")[15..].trim().parse().unwrap();
    Some(head + 4 + body)
}
