import { api, ownNode, saveAs, type ReplyOf } from '../../pages/kit/index.ts';

type Query = Readonly<Record<string, unknown>>;
type ListedAccount = ReplyOf<'GET /api/accounts'>['accounts'][number];

const PAGE_ACCOUNTS = 500;
const HEAD = ['username', 'role', 'plan', 'suspended', 'email', 'locale', 'created_at', 'features', 'user_id'] as const;

/** Asks for all accounts of a filter, page by page, and hands them to the browser as a file. */
export async function exportAccounts(filter: Query): Promise<number> {
  const rows: ListedAccount[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: Query = { ...filter, limit: PAGE_ACCOUNTS, ...(cursor !== '' && { cursor }) };
    const page: ReplyOf<'GET /api/accounts'> = await api('GET /api/accounts', { query });
    rows.push(...page.accounts);
    cursor = page.next_cursor;
  }
  saveAs(`accounts-${new Date().toISOString().slice(0, 10)}.csv`, new Blob([csvOf(rows)], { type: 'text/csv' }));
  return rows.length;
}

/** RFC 4180. A spreadsheet must not take a name for a formula. */
function csvOf(rows: readonly ListedAccount[]): string {
  const cell = (value: unknown) => {
    const text = value === null ? '' : Array.isArray(value) ? value.join(' ') : String(value);
    return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  };
  const head = ownNode() === '' ? HEAD : ([...HEAD, 'node'] as const);
  return [head.join(','), ...rows.map((row) => head.map((name) => cell(row[name])).join(','))].join('\r\n');
}
