/** Turns Markdown into troff's `man` macros: headings, paragraphs, lists, tables and blocks of code. */

/** Returns text in which troff reads no request and no escape. */
export const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/[^\n -~]/g, (character) => `\\[u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)
    .replace(/^([.'])/, '\\&$1');

/** Returns the sections of a page in Markdown, without what stands above the first. */
export function troff(markdown: string): string {
  const blocks = markdown.slice(markdown.indexOf('\n## ')).split(/\n*```\w*\n([^]*?)```\n*|\n\n+/);
  return blocks.flatMap((block, i) => (block === undefined ? [] : i % 2 === 1 ? code(block) : prose(block))).join('\n');
}

const code = (text: string): string[] => ['.PP', '.nf', ...text.trimEnd().split('\n').map(escaped), '.fi'];

function prose(block: string): string[] {
  const text = block.trim();
  if (text === '') return [];
  if (text.startsWith('### ')) return [`.SS ${escaped(text.slice(4))}`];
  if (text.startsWith('## ')) return [`.SH ${escaped(text.slice(3).toUpperCase())}`];
  if (text.startsWith('|')) return text.split('\n').slice(2).flatMap(row);
  if (text.startsWith('- '))
    return text
      .slice(2)
      .split(/\n- /)
      .flatMap((item) => ['.IP \\(bu 2', inline(item)]);
  return ['.PP', inline(text)];
}

function row(line: string): string[] {
  const [term = '', ...cells] = line
    .split('|')
    .map((cell) => cell.trim())
    .slice(1, -1);
  return ['.TP', `.B ${inline(term)}`, inline(cells.filter((cell) => cell !== '').join('; '))];
}

const inline = (text: string): string =>
  text
    .split('\n')
    .map((line) => escaped(line.trim().replaceAll('`', '')))
    .join('\n');
