//! Formats times, durations and moments as in a sheet: `09:30`, `30:05`, `2024-03-01 13:05`.
//!
//! OpenDocument stores them in ISO 8601. Its few forms are parsed here, because date libraries either do not support
//! durations of more than a day, or are much larger.

/// Maximum duration in milliseconds. A floating-point number can represent every integer up to this limit.
const MOST_MILLISECONDS: f64 = 9e15;

/// Formats a duration in days. Hours may exceed 23, and seconds are omitted if they are zero.
pub(super) fn duration_text(days: f64) -> Option<String> {
    let milliseconds = (days * 86_400_000.0).round();
    (milliseconds.abs() < MOST_MILLISECONDS).then(|| {
        let sign = if milliseconds <= -1000.0 { "-" } else { "" };
        let seconds = milliseconds.abs() as u64 / 1000;
        format!("{sign}{}", clock(seconds / 3600, seconds / 60 % 60, seconds % 60))
    })
}

/// Formats the hours, minutes and seconds of a time or a duration.
pub(super) fn clock(hours: u64, minutes: u64, seconds: u64) -> String {
    let seconds = if seconds == 0 { String::new() } else { format!(":{seconds:02}") };
    format!("{hours:02}:{minutes:02}{seconds}")
}

/// Formats an ISO duration such as `PT30H05M00S`. Other durations, such as months, which have no fixed length, are
/// returned unchanged.
pub(super) fn iso_duration_text(iso: &str) -> String {
    days_of_duration(iso.trim()).and_then(duration_text).unwrap_or_else(|| iso.to_owned())
}

fn days_of_duration(iso: &str) -> Option<f64> {
    let (sign, rest) = iso.strip_prefix('-').map_or((1.0, iso), |rest| (-1.0, rest));
    let mut rest = rest.strip_prefix('P')?;
    let (mut seconds, mut is_time, mut has_part) = (0.0, false, false);
    while !rest.is_empty() {
        if let Some(time) = rest.strip_prefix('T').filter(|_| !is_time) {
            (is_time, rest) = (true, time);
            continue;
        }
        let (number, after) = rest.split_at(rest.find(|c: char| c.is_ascii_alphabetic())?);
        let is_plain = number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
        let number: f64 = number.replace(',', ".").parse().ok().filter(|_| is_plain)?;
        let (unit, after) = after.split_at_checked(1)?;
        seconds += number
            * match (is_time, unit) {
                (false, "W") => 604_800.0,
                (false, "D") => 86_400.0,
                (true, "H") => 3600.0,
                (true, "M") => 60.0,
                (true, "S") => 1.0,
                _ => return None,
            };
        (rest, has_part) = (after, true);
    }
    has_part.then_some(sign * seconds / 86_400.0)
}

/// Formats an ISO date, time or both, such as `2024-03-01T13:05:00`. Other forms, such as times with a time zone, are
/// returned unchanged.
pub(super) fn iso_moment_text(iso: &str) -> String {
    moment(iso.trim()).unwrap_or_else(|| iso.to_owned())
}

fn moment(iso: &str) -> Option<String> {
    let Some((date, time)) = iso.split_once('T') else { return time_of_day(iso) };
    let is_date = !date.is_empty() && date.chars().all(|c| c.is_ascii_digit() || c == '-');
    let time = time_of_day(time).filter(|_| is_date)?;
    Some(if time == "00:00" { date.to_owned() } else { format!("{date} {time}") })
}

fn time_of_day(time: &str) -> Option<String> {
    let whole = time.strip_suffix('Z').unwrap_or(time);
    let (whole, fraction) = whole.split_once(['.', ',']).unwrap_or((whole, ""));
    let parts: Vec<&str> = whole.split(':').collect();
    let is_time = parts.iter().all(|part| part.len() == 2) && fraction.chars().all(|c| c.is_ascii_digit());
    let number = |part: &str| part.parse::<u64>().ok().filter(|number| *number < 60 && !part.starts_with('+'));
    match parts.as_slice() {
        [hours, minutes] if is_time => Some(clock(number(hours)?, number(minutes)?, 0)),
        [hours, minutes, seconds] if is_time => Some(clock(number(hours)?, number(minutes)?, number(seconds)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_may_exceed_a_day() {
        for (days, expected) in [
            (30.0 / 24.0 + 5.0 / 1440.0, "30:05"),
            (0.5, "12:00"),
            (0.0, "00:00"),
            (100.0 + 1.0 / 86_400.0, "2400:00:01"),
            (-1.5, "-36:00"),
        ] {
            assert_eq!(duration_text(days).as_deref(), Some(expected), "{days}");
        }
        assert_eq!([f64::NAN, f64::INFINITY, 1e300].map(duration_text), [None, None, None]);
    }

    #[test]
    fn iso_durations_are_formatted() {
        for (iso, expected) in [
            ("PT30H05M00S", "30:05"),
            ("PT09H30M00S", "09:30"),
            ("PT09H30M07.250S", "09:30:07"),
            ("P1DT2H", "26:00"),
            ("-PT1H30M", "-01:30"),
            ("P2M", "P2M"),
            ("P", "P"),
            ("PT1é", "PT1é"),
            ("half an hour", "half an hour"),
        ] {
            assert_eq!(iso_duration_text(iso), expected);
        }
    }

    #[test]
    fn iso_dates_and_times_are_formatted() {
        for (iso, expected) in [
            ("2024-03-01T13:05:00", "2024-03-01 13:05"),
            ("2024-03-01T13:05:09.5", "2024-03-01 13:05:09"),
            ("2024-03-01T00:00:00", "2024-03-01"),
            ("2024-03-01", "2024-03-01"),
            ("2024-03-01T13:05:00Z", "2024-03-01 13:05"),
            ("13:05:00", "13:05"),
            ("2024-03-01T13:05:00+02:00", "2024-03-01T13:05:00+02:00"),
            ("Then", "Then"),
        ] {
            assert_eq!(iso_moment_text(iso), expected);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_moment_or_stays(text in "[-PTDHMSZ0-9:.,+é]{0,20}", days in any::<f64>()) {
            let _ = (iso_duration_text(&text), iso_moment_text(&text), duration_text(days));
        }
    }
}
