import type { PluginRows } from '../../support/plugin-rows.ts';

const BOUNDARY = 'between';
const part = (name: string, value: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${name === 'content' ? '; filename="a"' : ''}\r\n\r\n${value}\r\n`;
const body = `${part('files', '[{"path":"small.txt"}]')}${part('content', 'small')}--${BOUNDARY}--\r\n`;

const rows: PluginRows = {
  walk: {
    upload: () => ({ headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }, body }),
  },
  opened: 'filemanager',
  answered: 'home',
};
export default rows;
