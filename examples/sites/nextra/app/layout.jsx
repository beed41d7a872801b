import { Layout, Navbar } from "nextra-theme-docs";
import { Head } from "nextra/components";
import { getPageMap } from "nextra/page-map";
import "nextra-theme-docs/style.css";

const BASE = process.env.BASE ?? "/";

export default async function RootLayout({ children }) {
  return (
    <html lang="en" dir="ltr" suppressHydrationWarning>
      <Head>
        <script type="module" src={`${BASE}nearfind/box/box.js`} />
      </Head>
      <body>
        {/* The box takes the place of its own search. */}
        <Layout navbar={<Navbar logo="nearfind" />} search={<nearfind-search />} pageMap={await getPageMap()}>
          {children}
        </Layout>
      </body>
    </html>
  );
}
