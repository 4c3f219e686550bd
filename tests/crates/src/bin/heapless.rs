//! `heapless`: vectors, text, queues, heaps and maps in a thread's own memory.

use corpus::{mixed, Numbers};
use heapless::binary_heap::{BinaryHeap, Min};
use heapless::index_map::FnvIndexMap;
use heapless::{Deque, HistoryBuf, LinearMap, String, Vec};

fn vectors(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let mut vector: Vec<u32, 40> = (0..30).map(|_| numbers.next() as u32 % 500).collect();
    vector.reverse();
    vector.retain(|number| number % 3 != 0);
    vector.insert(1, i).unwrap_or(());
    let taken = vector.swap_remove(vector.len() / 2);
    let full = vector.extend_from_slice(&[taken; 40]).is_err();
    mixed(vector.iter().copied()) ^ u64::from(full) ^ u64::from(vector.pop().unwrap_or(1))
}

fn text(i: u32) -> u64 {
    let mut line: String<24> = String::new();
    let fits = line.push_str("text of ").and_then(|()| line.push(char::from(65 + (i % 26) as u8))).is_ok();
    line.push_str("ß🦀").unwrap_or(());
    let last = line.pop().map_or(0, u32::from);
    mixed(line.bytes()) ^ u64::from(fits) ^ u64::from(last) ^ line.chars().rev().count() as u64
}

fn queues(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let mut queue: Deque<u8, 9> = Deque::new();
    let mut heap: BinaryHeap<u16, Min, 16> = BinaryHeap::new();
    let mut past: HistoryBuf<u32, 5> = HistoryBuf::new();
    for _ in 0..20 {
        let number = numbers.next();
        if queue.push_back(number as u8).is_err() {
            let _ = queue.pop_front();
        }
        let _ = heap.push(number as u16);
        past.write(number as u32);
    }
    let smallest: Vec<u16, 4> = core::iter::from_fn(|| heap.pop()).take(4).collect();
    mixed(queue.iter().copied()) ^ mixed(smallest) ^ mixed(past.oldest_ordered().copied())
}

fn maps(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let mut map: FnvIndexMap<u32, u32, 32> = FnvIndexMap::new();
    let mut small: LinearMap<&str, u32, 4> = LinearMap::new();
    for k in 0..40 {
        let key = numbers.next() as u32 % 20;
        *map.entry(key).or_insert(k).unwrap_or(&mut 0) += k;
        let _ = small.insert(["a", "bc", "def"][key as usize % 3], k);
    }
    let gone = map.remove(&(i % 20)).unwrap_or(77);
    mixed(map.iter().map(|(key, value)| key * 1000 + value)) ^ mixed([gone, *small.get("bc").unwrap_or(&5)])
}

corpus::parts![vectors, text, queues, maps];
