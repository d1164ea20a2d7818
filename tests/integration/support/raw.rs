//! Requests byte for byte, for what no well-behaved client sends.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::Duration,
};

/// Sends the bytes on a connection of their own and reads one answer, or until the server closes it or falls silent.
pub fn exchange(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = connect(address);
    // A server that refuses early closes while we still write.
    let _ = stream.write_all(request);
    read_answer(&mut stream)
}

/// One GET of exactly this target, on a connection that is closed afterwards.
pub fn get(address: SocketAddr, target: &str, headers: &[(&str, &str)]) -> String {
    let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let start = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    exchange(address, format!("{start}{}\r\n", headers.concat()).as_bytes())
}

/// The status of a raw answer.
#[track_caller]
pub fn status(answer: &str) -> u16 {
    let code = answer.split(' ').nth(1).unwrap_or_else(|| panic!("no HTTP answer: {answer:?}"));
    code.parse().unwrap()
}

/// A connection with time-outs.
pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(15))).unwrap();
    stream
}

/// Reads one whole answer, or what comes until the connection ends or falls silent.
fn read_answer(stream: &mut TcpStream) -> String {
    let (mut answer, mut part) = (Vec::new(), [0; 16 * 1024]);
    while !is_whole(&answer) {
        // A connection that is reset after the answer is as good as one that is closed.
        match stream.read(&mut part) {
            Ok(0) | Err(_) => break,
            Ok(length) => answer.extend_from_slice(&part[..length]),
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
    String::from_utf8_lossy(&answer).into_owned()
}

fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    length.is_some_and(|length: usize| answer.len() >= head.len() + 4 + length)
}
