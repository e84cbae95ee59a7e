//! The numbers of a glTF document: buffers, views of them, and accessors that say what lies there.

use glam::DVec3;
use serde_json::Value;

const BYTE: u64 = 5121;
const SHORT: u64 = 5123;
const INT: u64 = 5125;
const FLOAT: u64 = 5126;

/// The buffers of a document.
#[derive(Debug)]
pub(in crate::mesh) struct Buffers<'a>(Vec<std::borrow::Cow<'a, [u8]>>);

impl<'a> Buffers<'a> {
    /// Reads every buffer: from the same file, from the text itself, or from a file beside it.
    pub(in crate::mesh) fn open(
        document: &Value,
        binary: Option<&'a [u8]>,
        beside: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Buffers<'a>, String> {
        let buffers = document["buffers"].as_array().into_iter().flatten().enumerate();
        let read = |(k, buffer): (usize, &Value)| {
            let missing = || format!("buffer {k} says not where it is");
            let contents = match buffer["uri"].as_str() {
                None if k == 0 => binary.ok_or_else(missing)?.into(),
                None => return Err(missing()),
                Some(address) => match address.strip_prefix("data:") {
                    Some(data) => decode(data).ok_or_else(|| format!("buffer {k} is no base64"))?.into(),
                    None => beside(&unescaped(address)).map_err(|cause| format!("buffer {k}: {cause}"))?.into(),
                },
            };
            Ok(contents)
        };
        Ok(Buffers(buffers.map(read).collect::<Result<_, String>>()?))
    }

    /// What they contain.
    pub(in crate::mesh) fn into_owned(self) -> Vec<Vec<u8>> {
        self.0.into_iter().map(std::borrow::Cow::into_owned).collect()
    }

    /// Places of vertices.
    pub(in crate::mesh) fn positions(&self, document: &Value, accessor: usize) -> Result<Vec<DVec3>, String> {
        let described = &document["accessors"][accessor];
        if described["componentType"].as_u64() != Some(FLOAT) || described["type"].as_str() != Some("VEC3") {
            return Err(format!("accessor {accessor} holds no positions: three floats each are needed"));
        }
        let coordinate = |bytes: &[u8]| f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        let place = |bytes: &[u8]| DVec3::from_array([0, 4, 8].map(|at| coordinate(&bytes[at..])));
        self.values(document, accessor, 12, place)
    }

    /// Numbers of vertices.
    pub(super) fn indices(&self, document: &Value, accessor: usize) -> Result<Vec<u32>, String> {
        match document["accessors"][accessor]["componentType"].as_u64() {
            Some(BYTE) => self.values(document, accessor, 1, |bytes| u32::from(bytes[0])),
            Some(SHORT) => {
                self.values(document, accessor, 2, |bytes| u32::from(u16::from_le_bytes([bytes[0], bytes[1]])))
            }
            Some(INT) => {
                self.values(document, accessor, 4, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            }
            _ => Err(format!("accessor {accessor} holds no indices")),
        }
    }

    /// Every element of an accessor, each of `size` bytes.
    fn values<T>(
        &self,
        document: &Value,
        accessor: usize,
        size: usize,
        value: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>, String> {
        let described = &document["accessors"][accessor];
        if !described["sparse"].is_null() {
            return Err(format!("accessor {accessor} is sparse, which cannot be read; export it without"));
        }
        let too_short = || format!("accessor {accessor} reaches beyond its buffer: it is cut short");
        let number = |value: &Value, otherwise: u64| value.as_u64().unwrap_or(otherwise) as usize;
        let view = described["bufferView"].as_u64().ok_or_else(|| format!("accessor {accessor} has no buffer view"))?;
        let view = &document["bufferViews"][view as usize];
        let buffer = view["buffer"].as_u64().and_then(|buffer| self.0.get(buffer as usize));
        let buffer = buffer.ok_or_else(|| format!("accessor {accessor} has no buffer"))?;
        let start = number(&view["byteOffset"], 0);
        let end = start.checked_add(number(&view["byteLength"], 0)).ok_or_else(too_short)?;
        let bytes = buffer.get(start..end).ok_or_else(too_short)?;
        let bytes = bytes.get(number(&described["byteOffset"], 0)..).ok_or_else(too_short)?;
        let count = number(&described["count"], 0);
        let stride = number(&view["byteStride"], size as u64).max(size);
        let needed =
            count.checked_sub(1).and_then(|last| last.checked_mul(stride)).and_then(|last| last.checked_add(size));
        if count > 0 && needed.is_none_or(|needed| needed > bytes.len()) {
            return Err(too_short());
        }
        Ok((0..count).map(|k| value(&bytes[k * stride..])).collect())
    }
}

/// What follows `;base64,` in a data address.
fn decode(data: &str) -> Option<Vec<u8>> {
    let (_, text) = data.split_once(";base64,")?;
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0);
    for &letter in text.trim_end_matches('=').as_bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        (bits, held) = (bits << 6 | u32::from(six), held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

/// `%20` becomes a blank.
fn unescaped(address: &str) -> String {
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match escaped.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
