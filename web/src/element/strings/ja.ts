import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "検索",
  placeholder: "ドキュメントを検索",
  close: "閉じる",
  clear: "クリア",
  results: "検索結果",
  recent: "最近の検索",
  pin: "「{query}」を固定",
  unpin: "「{query}」の固定を解除",
  forget: "「{query}」を削除",
  loading: "検索を読み込んでいます…",
  found: { other: "{n} ページ" },
  nothing: "「{query}」は見つかりませんでした。",
  instead: "検索する：",
  unfiltered: "絞り込みなしで検索",
  corrected: "「{word}」はありません。「{meant}」で検索しました。",
  noPhrase: "「{phrase}」はありません。その単語を含むページです。",
  more: "さらに表示",
  offline: "検索に接続できません。オフラインですか？",
  failed: "現在、検索を利用できません。",
  retry: "再試行",
  by: ["単語による", "単語と意味による", "単語と完全な意味による"],
  offer: "より深く理解する（{size} MB）",
  loadingModel: "読み込み中：{percent}%",
  keys: ["移動", "開く", "閉じる"],
};
export default strings;
