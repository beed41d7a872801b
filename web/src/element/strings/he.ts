import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "חיפוש",
  placeholder: "חיפוש בתיעוד",
  close: "סגירה",
  clear: "ניקוי",
  results: "תוצאות",
  recent: "חיפושים אחרונים",
  pin: "הצמדת „{query}”",
  unpin: "ביטול הצמדת „{query}”",
  forget: "מחיקת „{query}”",
  loading: "החיפוש נטען…",
  found: { one: "עמוד אחד", two: "שני עמודים", other: "{n} עמודים" },
  nothing: "לא נמצא דבר עבור „{query}”.",
  instead: "לחפש:",
  unfiltered: "חיפוש ללא מסננים",
  corrected: "„{word}” לא מופיע: חיפשנו „{meant}”.",
  noPhrase: "„{phrase}” לא מופיע: בעמודים אלה יש את מילותיו.",
  more: "תוצאות נוספות",
  offline: "אי אפשר להגיע לחיפוש. אולי אין חיבור?",
  failed: "החיפוש לא פועל כרגע.",
  retry: "ניסיון נוסף",
  by: ["לפי מילים", "לפי מילים ומשמעות", "לפי מילים ומלוא המשמעות"],
  offer: "להבין יותר ({size} מ״ב)",
  loadingModel: "נטען: {percent}%",
  keys: ["תנועה", "פתיחה", "סגירה"],
};
export default strings;
