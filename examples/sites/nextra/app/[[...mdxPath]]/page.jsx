import { generateStaticParamsFor, importPage } from "nextra/pages";
import { useMDXComponents } from "../../mdx-components";

const { wrapper: Wrapper } = useMDXComponents();
const pageOf = async ({ params }) => importPage((await params).mdxPath);

export default async function Page(props) {
  const { default: Content, ...page } = await pageOf(props);
  return (
    <Wrapper {...page}>
      <Content />
    </Wrapper>
  );
}

export const generateStaticParams = generateStaticParamsFor("mdxPath");

export const generateMetadata = async (props) => (await pageOf(props)).metadata;
