import type { PluginRows } from '../../support/plugin-rows.ts';

const TUS = { 'Tus-Resumable': '1.0.0' };
const TYPE = { 'content-type': 'application/offset+octet-stream' };
const base64 = (text: string) => Buffer.from(text).toString('base64');
let id = '';

const rows: PluginRows = {
  walk: {
    options: () => ({}),
    create: () => ({
      headers: { ...TUS, 'Upload-Length': '8', 'Upload-Metadata': `path ${base64('film.mp4')}` },
      keep: (upload) => void (id = upload['id'] ?? ''),
    }),
    show: () => ({ path: `/api/uploads/${id}` }),
    write: () => ({ path: `/api/uploads/${id}`, headers: { ...TUS, ...TYPE, 'Upload-Offset': '0' }, body: '1234' }),
    remove: () => ({ path: `/api/uploads/${id}`, headers: TUS }),
  },
  opened: 'filemanager',
  answered: {
    options: 'anywhere',
    ...Object.fromEntries(['create', 'list', 'show', 'write', 'remove'].map((name) => [name, 'home'])),
  },
  bounded: { list: 'uploads.open' },
  isolation: { unmarked: { list: 'no uploads', show: 'an upload to a path that a request chose' } },
  accountTables: { uploads: 'work on its way' },
};
export default rows;
