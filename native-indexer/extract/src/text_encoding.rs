//! Detects the encoding of text that does not declare one: from a byte order mark, then as UTF-8, and then from its
//! letters.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8};
use memchr::memmem;
use std::borrow::Cow;

/// Number of bytes that are used to detect an encoding, starting at the first line with a non-ASCII byte. More bytes
/// would change little.
const DETECTED_WITHIN: usize = 1 << 20;
/// Escape sequence that switches to Japanese in ISO-2022-JP.
const TO_JAPANESE: &[u8] = b"\x1b$";
/// Minimum number of non-ASCII letters per invalid sequence in damaged UTF-8 text. Text in a different encoding rarely
/// contains valid sequences.
const LETTERS_OF_DAMAGED: usize = 10;
/// Number of bytes to inspect for detecting binary files.
const LOOKED_AT: usize = 64 << 10;
/// In a text, less than one in this many bytes is a control character. In a binary file, about one in ten bytes is.
const BYTES_OF_CONTROL: usize = 32;
/// Number of control characters that any text may contain.
const FREE_CONTROLS: usize = 3;

/// Decodes `bytes`, and returns a note if some bytes are invalid in the detected encoding.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, Option<String>) {
    match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => decoded(encoding, &bytes[mark..]),
        None => match str::from_utf8(bytes) {
            Ok(text) if !is_iso_2022_jp(bytes) => (Cow::Borrowed(text), None),
            _ => decoded(detected(bytes), bytes),
        },
    }
}

/// Decodes `bytes` in `encoding`, and returns a note if some bytes are invalid.
pub(super) fn decoded<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> (Cow<'a, str>, Option<String>) {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    let name = encoding.name();
    let note = had_errors.then(|| format!("some of its bytes are not {name}, and are shown as \u{fffd}"));
    (text, note)
}

/// Detects the encoding of `bytes`, which are not UTF-8, from their letters, like Firefox.
pub(super) fn detected(bytes: &[u8]) -> &'static Encoding {
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    // Detection also uses the words before the first non-ASCII letter.
    let start = bytes[..first].iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    let told = &bytes[start..];
    let told = &told[..told.len().min(DETECTED_WITHIN)];
    if is_damaged_utf_8(told) {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(told, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Whether `bytes` are UTF-8 with a few exceptions.
fn is_damaged_utf_8(bytes: &[u8]) -> bool {
    let (mut letters, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        letters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    invalid > 0 && letters >= LETTERS_OF_DAMAGED * invalid
}

/// Whether `bytes` are ASCII, but contain Japanese text between escape sequences.
fn is_iso_2022_jp(bytes: &[u8]) -> bool {
    memmem::find(bytes, TO_JAPANESE).is_some() && bytes.is_ascii() && {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(bytes, true);
        detector.guess(None, Utf8Detection::Deny) == ISO_2022_JP
    }
}

/// Whether `bytes` cannot be text. UTF-16 is recognized by its byte order mark. No other text contains zeros or many
/// control characters.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    if matches!(Encoding::for_bom(bytes), Some((encoding, _)) if encoding != UTF_8) {
        return false;
    }
    let start = &bytes[..bytes.len().min(LOOKED_AT)];
    let is_control = |byte: &&u8| matches!(byte, 1..=7 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    let controls = start.iter().filter(is_control).count();
    bytes.contains(&0) || controls > FREE_CONTROLS.max(start.len() / BYTES_OF_CONTROL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Typical sentences and lines, each with the encoding that programs for the language use.
    const TEXTS: &[(&str, &str)] = &[
        ("windows-1251", "Отчёт о продажах за третий квартал. Выручка выросла на 12 % по сравнению с прошлым годом."),
        ("windows-1251", "Привет, мир"),
        ("windows-1251", "Наименование;Цена;Город\nСтул;1500;Москва\n"),
        ("koi8-u", "Отчёт о продажах за третий квартал: выручка выросла на двенадцать процентов."),
        ("ibm866", "Отчет о продажах за третий квартал: выручка выросла на двенадцать процентов."),
        ("shift_jis", "設定ファイルを編集してから、サーバーを再起動してください。"),
        ("shift_jis", "名前,年齢,住所\n佐藤太郎,30,東京\n"),
        ("euc-jp", "設定ファイルを編集してから、サーバーを再起動してください。"),
        ("gbk", "请在安装之前备份您的数据,然后重新启动服务器。"),
        ("gbk", "销售报告"),
        ("euc-kr", "설치하기 전에 데이터를 백업한 다음 서버를 다시 시작하십시오."),
        ("euc-kr", "판매 보고서"),
        ("big5", "請在安裝之前備份您的資料,然後重新啟動伺服器。"),
        ("windows-1253", "Η αναφορά πωλήσεων για το τρίτο τρίμηνο του έτους."),
        ("windows-1253", "Αναφορά πωλήσεων"),
        ("windows-1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Prosím, přečtěte si návod k použití."),
        ("windows-1250", "Zażółć gęślą jaźń. Sprzedaż wzrosła o dwanaście procent w porównaniu z ubiegłym rokiem."),
        (
            "windows-1254",
            "Satış raporu: üçüncü çeyrekte gelir yüzde on iki arttı. Lütfen kılavuzu okuyunuz, değişiklik yapmayınız.",
        ),
        ("windows-1255", "דוח מכירות לרבעון השלישי של השנה, עם סיכום."),
        ("windows-1256", "تقرير المبيعات للربع الثالث من العام الحالي مع ملخص."),
        (
            "windows-1257",
            "Pardavimų ataskaita už trečiąjį ketvirtį: pajamos išaugo dvylika procentų, palyginti su praėjusiais metais.",
        ),
        ("windows-874", "รายงานการขายสำหรับไตรมาสที่สาม"),
        ("windows-1258", "Báo cáo bán hàng"),
        ("windows-1252", "größer – 5 €"),
        ("windows-1252", "Der Umsatz wuchs im dritten Quartal um zwölf Prozent; die Kosten blieben gleich."),
        ("windows-1252", "Le chiffre d’affaires a augmenté au troisième trimestre, malgré la baisse de l’été."),
        ("windows-1252", "Kugél"),
        ("windows-1252", "El año pasado creció la economía"),
        ("windows-1252", "Försäljningen ökade med tolv procent"),
    ];

    #[test]
    fn encodings_are_detected_by_letters() {
        for (label, text) in TEXTS {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            let (bytes, ..) = encoding.encode(text);
            assert!(!is_binary(&bytes), "{text}");
            let (read, note) = decode(&bytes);
            assert_eq!((read.as_ref(), note), (*text, None), "{label} was read as {}", detected(&bytes).name());
        }
    }

    #[test]
    fn unicode_and_iso_2022_jp_are_recognized() {
        assert_eq!(decode("größer 😀".as_bytes()).0, "größer 😀");
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let utf_16: Vec<u8> = "\u{feff}größer 😀".encode_utf16().flat_map(to_bytes).collect();
            assert!(decode(&utf_16).0 == "größer 😀" && !is_binary(&utf_16));
        }
        assert_eq!(decode(&ISO_2022_JP.encode("検索の設定").0).0, "検索の設定");
        assert_eq!(decode(b"\x1b[1mbold\x1b[0m costs 5 \x1b$").0, "\x1b[1mbold\x1b[0m costs 5 \x1b$");
    }

    #[test]
    fn utf_8_with_a_wrong_byte_stays_utf_8() {
        let mut bytes = "Отчёт о продажах".as_bytes().to_vec();
        bytes.insert(0, 0xe4);
        let (text, note) = decode(&bytes);
        assert_eq!(text, "\u{fffd}Отчёт о продажах");
        assert!(note.unwrap().contains("not UTF-8"));
    }

    #[test]
    fn binary_files_are_detected_by_their_content() {
        assert!(is_binary(b"a\0b"));
        let scattered: Vec<u8> = (0u32..400).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8 | 1).collect();
        assert!(is_binary(&scattered));
        assert!(!is_binary(b"listing\x1a") && !is_binary(b"\x1b[32mok\x1b[0m\x08\x0c"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_some_text(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let (text, note) = decode(&bytes);
            let is_whole = !text.contains('\u{fffd}');
            prop_assert!(note.is_none() || !is_whole);
        }
    }
}
