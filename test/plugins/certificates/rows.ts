import { readFileSync } from 'node:fs';
import { selfSigned, signedBy } from '../../support/certificate.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

const DOMAIN = 'harbour-cafe.example';
const path = `/api/certificates/${DOMAIN}`;

function own() {
  const { cert, key } = signedBy(selfSigned('Harbour CA'), `DNS:${DOMAIN}`);
  return { certificate: readFileSync(cert, 'utf8'), private_key: readFileSync(key, 'utf8') };
}

const rows: PluginRows = {
  walk: {
    upload: () => ({ path, body: own() }),
    change: () => ({ path, body: { force_https: true } }),
    remove: () => ({ path }),
  },
  unwalked: { request: 'no authority is set up to order certificates from' },
  opened: 'ssl',
  answered: 'home',
  without: { domains: { list: ['.certificates[]'], upload: 404, change: 404, remove: 404 } },
  bounded: { list: "one for each of an account's domains" },
  pages: { '/home/certificates': [] },
  accountTables: { certificates: 'archived' },
};
export default rows;
