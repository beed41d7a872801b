import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "搜索",
  placeholder: "搜索文档",
  close: "关闭",
  clear: "清除",
  results: "结果",
  recent: "最近的搜索",
  pin: "固定“{query}”",
  unpin: "取消固定“{query}”",
  forget: "删除“{query}”",
  loading: "正在加载搜索…",
  found: { other: "{n} 个页面" },
  nothing: "没有找到与“{query}”相关的内容。",
  instead: "搜索：",
  unfiltered: "不使用筛选条件搜索",
  corrected: "没有“{word}”：已改为搜索“{meant}”。",
  noPhrase: "没有“{phrase}”：这些页面包含其中的词。",
  more: "更多结果",
  offline: "无法连接搜索。您是否已离线？",
  failed: "搜索目前无法使用。",
  retry: "重试",
  by: ["按词语", "按词语和含义", "按词语和完整含义"],
  offer: "更好地理解（{size} MB）",
  loadingModel: "正在加载：{percent}%",
  keys: ["移动", "打开", "关闭"],
};
export default strings;
