import { readList, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';
import type { PhpInfo } from '../schema.ts';

type Section = PhpInfo['sections'][number];
type Row = Section['rows'][number];

const MOST_SECTIONS = 200;
const MOST_ROWS = 500;
const CHARACTERS = 2000;
/** Names of values that may be secrets of the operator, such as mysqli.default_pw. */
const SECRET = /passw|_pw\b|secret|credential/i;
const TEXT = new RegExp(`^[^]{0,${CHARACTERS}}$`);
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#039;': "'", '&nbsp;': ' ', '&amp;': '&' },
};

/**
 * Returns the tables of phpinfo() from its HTML: modules with their facts and directives. Rows of secrets are left out. In time that
 * grows with the length only, whatever the text is.
 */
export function sectionsIn(html: string): Section[] {
  const sections: Section[] = [];
  for (const [i, part] of html.split('<h2>', MOST_SECTIONS).entries()) {
    const at = i === 0 ? 0 : part.indexOf('</h2>');
    const rows = part.slice(at).split('<tr>', MOST_ROWS).slice(1).flatMap(rowIn);
    if (rows.length > 0) sections.push({ title: i === 0 ? 'PHP' : textIn(part.slice(0, at)), rows });
  }
  return sections;
}

/** Checks what the job that read them has sent. Errors: 400 `invalid_request`. */
export function readSections(value: unknown): Section[] {
  return readList(value, MOST_SECTIONS, (section) => {
    const { title, rows } = readMembers(section, ['title', 'rows']);
    return { title: readText(title, TEXT), rows: readList(rows, MOST_ROWS, readRow) };
  });
}

function readRow(value: unknown): Row {
  const { name, local, master } = readMembers(value, ['name', 'local', 'master']);
  return {
    name: readText(name, TEXT),
    local: readText(local, TEXT),
    master: master === null ? null : readText(master, TEXT),
  };
}

/** Headings and notes over the whole width are no rows. */
function rowIn(part: string): Row[] {
  const end = part.indexOf('</tr>');
  const cells = part
    .slice(0, end === -1 ? 0 : end)
    .split('</td>', 4)
    .slice(0, -1);
  const [name = '', local, master] = cells.map((cell) => (cell.includes('<i>no value</i>') ? '' : textIn(cell)));
  return name === '' || local === undefined || SECRET.test(name) ? [] : [{ name, local, master: master ?? null }];
}

function textIn(html: string): string {
  return html
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&(?:lt|gt|quot|#039|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .trim()
    .slice(0, CHARACTERS);
}
