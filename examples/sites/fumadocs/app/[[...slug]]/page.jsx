import { DocsBody, DocsPage, DocsTitle } from "fumadocs-ui/layouts/docs/page";
import components from "fumadocs-ui/mdx";
import { source } from "../source";

const pageOf = async ({ params }) => source.getPage((await params).slug);

export default async function Page(props) {
  const { title, toc, body: Body } = (await pageOf(props)).data;
  return (
    <DocsPage toc={toc}>
      <DocsTitle>{title}</DocsTitle>
      <DocsBody>
        {/* Plain links: some of these documents' lead to files of the repository, which Next.js would fetch in advance. */}
        <Body components={{ ...components, a: "a" }} />
      </DocsBody>
    </DocsPage>
  );
}

export const generateStaticParams = () => source.generateParams();

export const generateMetadata = async (props) => ({ title: (await pageOf(props)).data.title });
