import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "بحث",
  placeholder: "ابحث في الوثائق",
  close: "إغلاق",
  clear: "مسح",
  results: "النتائج",
  recent: "عمليات البحث الأخيرة",
  pin: "تثبيت «{query}»",
  unpin: "إلغاء تثبيت «{query}»",
  forget: "حذف «{query}»",
  loading: "جارٍ تحميل البحث…",
  found: { zero: "لا صفحات", one: "صفحة واحدة", two: "صفحتان", few: "{n} صفحات", many: "{n} صفحة", other: "{n} صفحة" },
  nothing: "لا نتائج عن «{query}».",
  instead: "ابحث عن:",
  unfiltered: "البحث بلا مرشحات",
  corrected: "لا توجد «{word}»: جرى البحث عن «{meant}».",
  noPhrase: "لا توجد «{phrase}»: في هذه الصفحات كلماتها.",
  more: "مزيد من النتائج",
  offline: "تعذر الوصول إلى البحث. هل أنت غير متصل؟",
  failed: "البحث لا يعمل الآن.",
  retry: "إعادة المحاولة",
  by: ["بالكلمات", "بالكلمات والمعنى", "بالكلمات والمعنى الكامل"],
  offer: "فهم أعمق ({size} م.ب)",
  loadingModel: "جارٍ التحميل: {percent}٪",
  keys: ["تنقل", "فتح", "إغلاق"],
};
export default strings;
