import type { PluginRows } from '../../support/plugin-rows.ts';

const CONTENT = '/api/files/content?path=';
let [task, link] = ['', ''];

const ROUTES = [
  ...['list', 'root', 'entries', 'read', 'write', 'makeFolder', 'move', 'setMode'],
  ...['copy', 'compress', 'extract', 'tasks', 'taskStream', 'task', 'cancel', 'newDownload'],
];
const EITHER = 'filemanager or fix_permissions';
const each = <T extends string>(value: T) => Object.fromEntries(ROUTES.map((name) => [name, value]));

const rows: PluginRows = {
  walk: {
    list: () => ({ path: '/api/folders/var/www/html' }),
    makeFolder: () => ({ body: { path: 'drafts' } }),
    write: () => ({ path: `${CONTENT}drafts/note.txt`, body: 'A note' }),
    read: () => ({ path: `${CONTENT}drafts/note.txt` }),
    setMode: () => ({ body: { path: 'drafts/note.txt', mode: '0600' } }),
    move: () => ({ body: { from: 'drafts/note.txt', to: 'drafts/letter.txt' } }),
    copy: () => ({
      body: { from: 'drafts', to: 'drafts-before' },
      keep: ({ id = '' }) => void (task = id),
    }),
    task: () => ({ path: `/api/files/tasks/${task}` }),
    cancel: () => ({ path: `/api/files/tasks/${task}` }),
    compress: () => ({ body: { paths: ['drafts'], to: 'drafts.zip', format: 'zip' } }),
    extract: () => ({ body: { from: 'drafts.zip', to: 'drafts-again' } }),
    repair: () => ({ body: { path: 'drafts' } }),
    newDownload: () => ({
      body: { paths: ['drafts/letter.txt'], format: null },
      keep: ({ href = '' }) => void (link = href),
    }),
    download: () => ({ path: link }),
  },
  opened: {
    ...each('filemanager'),
    ...{
      tasks: EITHER,
      taskStream: EITHER,
      task: EITHER,
      cancel: EITHER,
      repair: 'fix_permissions',
      download: 'guest',
    },
  },
  answered: { ...each('home'), repair: 'home', download: 'named' },
  bounded: {
    list: 'files.max_folders',
    root: 'files.max_folders',
    tasks: 'at most 50',
  },
  isolation: {
    unmarked: {
      read: 'bytes of the file that it names',
      tasks: 'no tasks',
      taskStream: 'no tasks',
      task: 'work on paths that a request chose',
    },
  },
  homes: { paths: { list: (username) => `/api/folders/of-${username}` } },
  examples: { invented: { newDownload: { href: '/api/files/downloads/demo/AbC0…', expires_in: 600 } } },
  pages: {
    '/home/files': ['New folder', 'Details of sunny-garden.example', 'Rename sunny-garden.example'],
  },
  accountTables: { file_downloads: 'links that last for minutes', file_tasks: 'work on its way' },
};
export default rows;
