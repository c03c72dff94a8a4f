import { StreamLanguage, type StreamParser } from '@codemirror/language';
import type { Extension } from '@codemirror/state';

const simple = (parser: StreamParser<unknown>): Extension => StreamLanguage.define(parser);

/** Languages by the names of files; each is a part of its own, which only such a file loads. */
const LANGUAGES: readonly (readonly [RegExp, () => Promise<Extension>])[] = [
  [/\.(php\d?|phtml|inc)$/i, async () => (await import('@codemirror/lang-php')).php()],
  [/\.(x?html?|vue)$/i, async () => (await import('@codemirror/lang-html')).html()],
  [/\.css$/i, async () => (await import('@codemirror/lang-css')).css()],
  [/\.[cm]?jsx?$/i, async () => (await import('@codemirror/lang-javascript')).javascript({ jsx: true })],
  [/\.[cm]?ts$/i, async () => (await import('@codemirror/lang-javascript')).javascript({ typescript: true })],
  [/\.tsx$/i, async () => (await import('@codemirror/lang-javascript')).javascript({ jsx: true, typescript: true })],
  [/\.(md|markdown)$/i, async () => (await import('@codemirror/lang-markdown')).markdown()],
  [/\.(json|map|webmanifest)$/i, async () => simple((await import('@codemirror/legacy-modes/mode/javascript')).json)],
  [/\.(xml|xsl|svg|rss|wsdl)$/i, async () => simple((await import('@codemirror/legacy-modes/mode/xml')).xml)],
  [/\.(scss|sass)$/i, async () => simple((await import('@codemirror/legacy-modes/mode/css')).sCSS)],
  [/\.less$/i, async () => simple((await import('@codemirror/legacy-modes/mode/css')).less)],
  [/\.ya?ml$/i, async () => simple((await import('@codemirror/legacy-modes/mode/yaml')).yaml)],
  [/\.sql$/i, async () => simple((await import('@codemirror/legacy-modes/mode/sql')).mySQL)],
  [/\.(sh|bash)$/i, async () => simple((await import('@codemirror/legacy-modes/mode/shell')).shell)],
  [/\.toml$/i, async () => simple((await import('@codemirror/legacy-modes/mode/toml')).toml)],
  [/\.py$/i, async () => simple((await import('@codemirror/legacy-modes/mode/python')).python)],
  [/(^|\.)nginx\.conf$|\.vhost$/i, async () => simple((await import('@codemirror/legacy-modes/mode/nginx')).nginx)],
  [
    /(^|\.)(ini|cfg|conf|cnf|env|properties|htaccess|editorconfig)$/i,
    async () => simple((await import('@codemirror/legacy-modes/mode/properties')).properties),
  ],
];

/** Returns the language of a file by its name; nothing for a name that says none. */
export async function languageByName(name: string): Promise<Extension> {
  const [, load] = LANGUAGES.find(([names]) => names.test(name)) ?? [];
  return (await load?.()) ?? [];
}
