import { same, type Given, type Row } from './row.ts';

/** A name in a folder; what is no text stays for the operation to refuse. */
const below = (folder: unknown, name: unknown): unknown =>
  typeof name === 'string' && typeof folder === 'string' && folder !== '' ? `${folder}/${name}` : name;
const atLogin = ({ username: login = '' }: Given) => ({ login });

/** Rows of files, and of who reaches them. */
export const fileRows: readonly Row[] = [
  same('GET /api/disk-usage', 'GET /api/directory-size'),
  {
    is: 'GET /api/disk-usage/*path',
    steps: [{ calls: 'GET /api/directory-size', query: ({ path: folder }) => ({ folder }) }],
  },
  same('GET /api/inodes', 'GET /api/disk_inodes'),
  same('GET /api/folders'),
  {
    is: 'GET /api/folders/*path',
    isTaken: true,
    steps: [{ calls: 'GET /api/folders/*path', params: ({ path }) => ({ path }) }],
  },
  {
    is: 'GET /api/inodes/*path',
    steps: [{ calls: 'GET /api/largest-folders', query: ({ path: folder }) => ({ folder }) }],
  },

  {
    is: 'GET /api/files/*path',
    steps: [{ calls: 'GET /api/files', query: ({ path }) => ({ path, limit: '1000' }) }],
  },
  {
    is: 'POST /api/file-manager/new-directory',
    takes: ['path', 'foldername!'],
    status: 201,
    steps: [{ calls: 'POST /api/files/folders', body: ({ path, foldername }) => ({ path: below(path, foldername) }) }],
  },
  {
    is: 'POST /api/file-manager/rename',
    takes: ['path', 'old_name!', 'new_name!'],
    steps: [
      {
        calls: 'POST /api/files/move',
        body: ({ path, old_name: from, new_name: to }) => ({ from: below(path, from), to: below(path, to) }),
      },
    ],
  },
  {
    is: 'POST /api/file-manager/create-archive',
    takes: ['archive_name!', 'extension!', 'path', 'selected_files!'],
    choices: { extension: ['zip', 'tar.gz', 'tar.zst'] },
    status: 202,
    steps: [
      {
        calls: 'POST /api/files/compress',
        body: ({ archive_name: name, extension: format, path, selected_files: files }) => ({
          ...{ format, to: below(path, typeof name === 'string' ? `${name}.${format}` : name) },
          paths: Array.isArray(files) ? files.map((file) => below(path, file)) : files,
        }),
      },
    ],
  },
  {
    is: 'POST /api/file-manager/extract-archive',
    takes: ['archive_name!', 'path', 'extract_destination!'],
    status: 202,
    steps: [
      {
        calls: 'POST /api/files/extract',
        body: ({ archive_name: name, path, extract_destination: to }) => ({ from: below(path, name), to }),
      },
    ],
  },
  {
    is: 'POST /api/trash/restore-all',
    steps: [
      { calls: 'GET /api/files/trash' },
      {
        calls: 'POST /api/files/restore',
        if: (_, [{ removed }]) => removed.length > 0,
        body: (_, [{ removed }]) => ({ ids: removed.map(({ id }: { readonly id: string }) => id) }),
      },
    ],
    reply: ([, restored]) => restored ?? { results: [] },
  },
  {
    is: 'POST /api/trash/delete-all',
    status: 202,
    steps: [{ calls: 'POST /api/files/trash/empty', body: () => ({}) }],
  },
  {
    is: 'POST /api/fix-permissions',
    takes: ['directory!'],
    status: 202,
    steps: [{ calls: 'POST /api/files/repair', body: ({ directory: path }) => ({ path }) }],
  },
  same('GET /api/malware-scanner/quarantine', 'GET /api/malware/quarantine'),
  {
    is: 'POST /api/malware-scanner/scan',
    takes: ['directory!'],
    status: 202,
    steps: [{ calls: 'POST /api/malware/scans', body: ({ directory: path }) => ({ path }) }],
  },

  same('GET /api/ftp', 'GET /api/sftp'),
  { is: 'DELETE /api/ftp/:username', steps: [{ calls: 'DELETE /api/sftp/logins/:login', params: atLogin }] },
  {
    is: 'PATCH /api/ftp/:username/path',
    takes: ['path!'],
    steps: [{ calls: 'PATCH /api/sftp/logins/:login', params: atLogin, body: ({ path: folder }) => ({ folder }) }],
  },
  same('GET /api/ftp/connections', 'GET /api/sftp/connections'),

  { is: 'POST /api/backup-wizard/create', status: 202, steps: [{ calls: 'POST /api/backups' }] },
  same('GET /api/backup-wizard/status', 'GET /api/backup-tasks'),
  {
    is: 'GET /api/backups/list',
    steps: [{ calls: 'GET /api/backups' }],
    reply: ([{ backups }]) => ({ backups }),
  },
];
