import { DocsLayout } from "fumadocs-ui/layouts/docs";
import { RootProvider } from "fumadocs-ui/provider/next";
import { source } from "./source";
import "fumadocs-ui/style.css";

const BASE = process.env.BASE ?? "/";

export default function Layout({ children }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <head>
        <script type="module" src={`${BASE}nearfind/box/box.js`} />
      </head>
      <body>
        {/* Its own search is switched off. */}
        <RootProvider search={{ enabled: false }}>
          <DocsLayout tree={source.getPageTree()} nav={{ title: "nearfind" }} sidebar={{ banner: <nearfind-search /> }}>
            {children}
          </DocsLayout>
        </RootProvider>
      </body>
    </html>
  );
}
