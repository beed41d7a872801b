import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "Ara",
  placeholder: "Belgelerde ara",
  close: "Kapat",
  clear: "Temizle",
  results: "Sonuçlar",
  recent: "Son aramalar",
  pin: "“{query}” aramasını sabitle",
  unpin: "“{query}” aramasını çöz",
  forget: "“{query}” aramasını unut",
  loading: "Arama yükleniyor…",
  found: { other: "{n} sayfa" },
  nothing: "“{query}” için sonuç yok.",
  instead: "Şunu ara:",
  unfiltered: "Filtresiz ara",
  corrected: "“{word}” geçmiyor: “{meant}” arandı.",
  noPhrase: "“{phrase}” geçmiyor: bu sayfalarda kelimeleri var.",
  more: "Daha fazla sonuç",
  offline: "Aramaya ulaşılamıyor. Çevrimdışı mısınız?",
  failed: "Arama şu anda çalışmıyor.",
  retry: "Yeniden dene",
  by: ["kelimelere göre", "kelimelere ve anlama göre", "kelimelere ve tam anlama göre"],
  offer: "Daha çok anla ({size} MB)",
  loadingModel: "Yükleniyor: %{percent}",
  keys: ["gez", "aç", "kapat"],
};
export default strings;
