import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "검색",
  placeholder: "문서 검색",
  close: "닫기",
  clear: "지우기",
  results: "결과",
  recent: "최근 검색",
  pin: "“{query}” 고정",
  unpin: "“{query}” 고정 해제",
  forget: "“{query}” 삭제",
  loading: "검색을 불러오는 중…",
  found: { other: "{n}개 페이지" },
  nothing: "“{query}”에 대한 결과가 없습니다.",
  instead: "검색:",
  unfiltered: "필터 없이 검색",
  corrected: "“{word}”이(가) 없어 “{meant}”을(를) 검색했습니다.",
  noPhrase: "“{phrase}”이(가) 없어 그 단어가 있는 페이지를 보여 줍니다.",
  more: "결과 더 보기",
  offline: "검색에 연결할 수 없습니다. 오프라인인가요?",
  failed: "지금은 검색을 사용할 수 없습니다.",
  retry: "다시 시도",
  by: ["단어 기준", "단어와 의미 기준", "단어와 전체 의미 기준"],
  offer: "더 잘 이해하기 ({size} MB)",
  loadingModel: "불러오는 중: {percent}%",
  keys: ["이동", "열기", "닫기"],
};
export default strings;
