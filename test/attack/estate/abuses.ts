import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import type { Estate } from './estate.ts';

/** What a hostile customer does to a node on which others live. */
export interface Abuse {
  readonly name: string;
  /** Lays out the hostile customer's files; `share`, from 0 to 1, is the part of the whole that is made. */
  prepare?(folder: string, share: number): void;
  /** Sends requests until `signal` aborts. */
  attack(estate: Estate, signal: AbortSignal, share: number): Promise<void>;
}

const SITE = 'villain.example';
const SLOW_BODIES = 1500;
/** How often each of them sends a byte: soon enough that none is given up for its silence. */
const BYTE_EVERY_MS = 500;
const MILLION = 1_000_000;
const NAME_BYTES = 248;

/** An abuse that asks for paths, several at once, again and again. */
function flood(paths: (i: number) => string, atOnce: number, address: Address = 'user'): Abuse['attack'] {
  return async (estate, signal) => {
    let i = 0;
    const client = async () => {
      while (!signal.aborted) await estate.ask(estate.villain, paths((i += 1)), { address }, signal);
    };
    await Promise.all(Array.from({ length: atOnce }, client));
  };
}

/** One client that sends its bodies by the byte, again and again, and reads what it is told. */
async function drip(estate: Estate, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(estate.node.url());
  const head = [
    'PUT /api/favorites HTTP/1.1',
    `Host: ${hostname}`,
    `Authorization: Bearer ${estate.villain.token}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
  ].join('\r\n');
  while (!signal.aborted)
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write(`${head}\r\n\r\n`));
      const timer = setInterval(() => socket.write('a'), BYTE_EVERY_MS);
      const end = () => void socket.destroy();
      signal.addEventListener('abort', end, { once: true });
      socket.resume().once('error', () => undefined); // the server sends slow clients away
      socket.once('close', () => {
        clearInterval(timer);
        signal.removeEventListener('abort', end);
        resolve();
      });
    });
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** One folder with many hard links, which no inode quota sees. */
function linkFarm(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  const name = 'l'.repeat(NAME_BYTES - 8);
  let source = '';
  for (let i = 0; i < count; i += 1) {
    const path = join(folder, `${name}${String(i).padStart(8, '0')}`);
    if (i % 60_000 === 0)
      writeFileSync((source = path), ''); // ext4 allows 65,000 links of a file
    else linkSync(source, path);
  }
}

function envBomb(): string {
  const levels = ['A0='.padEnd(1003, 'x')];
  for (let i = 1; i <= 5; i += 1) levels.push(`A${i}=${`\${A${i - 1}}`.repeat(10)}`);
  for (let i = 0; i < 60; i += 1) levels.push(`B${i}=\${A5}\${A5}x`);
  return levels.join('\n');
}

function phpBomb(): string {
  const doubling = '$a=$a.$a;'.repeat(18);
  return `<?php $a='xxxxxxxxxxxxxxxx';${doubling}${'$b[]=$a."y";'.repeat(2000)} define('DB_NAME',$a);`;
}

const classBomb = () =>
  `<?php class A { ${Array.from({ length: 80_000 }, (_, i) => `public $p${i};`).join('')} } define('DB_NAME','x');`;

const database = (i: number) => `/api/database_info?domain=${SITE}${['', '/php', '/class'][i % 3]}`;
const search = (i: number) => `/api/search/files?q=${'aelrtn'[i % 6]}&limit=1000`;
const listings = [
  '/api/folders/farm',
  '/api/directory-size',
  '/api/disk_inodes',
  '/api/auto-installer',
  '/api/dashboard',
];

export const ABUSES: readonly Abuse[] = [
  {
    name: 'configuration files that describe gigabytes',
    prepare: (folder) => {
      write(folder, {
        [`${SITE}/artisan`]: '',
        [`${SITE}/bootstrap/app.php`]: '<?php',
        [`${SITE}/.env`]: envBomb(),
      });
      for (const [name, text] of [
        ['php', phpBomb()],
        ['class', classBomb()],
      ])
        write(folder, {
          [`${SITE}/${name}/wp-config.php`]: text ?? '',
          [`${SITE}/${name}/wp-includes/version.php`]: '<?php',
        });
    },
    attack: flood(database, 40),
  },
  {
    name: 'a million names, searched by one letter',
    prepare: (folder, share) => {
      for (let i = 0; i < (MILLION * share) / 1000; i += 1) {
        mkdirSync(join(folder, `names/${i}`), { recursive: true });
        for (let j = 0; j < 1000; j += 1) writeFileSync(join(folder, `names/${i}/letter-${j}`), '');
      }
    },
    attack: flood(search, 64),
  },
  {
    name: 'a folder of hard links, listed, measured and searched',
    prepare: (folder, share) => {
      linkFarm(join(folder, 'farm'), 1.6 * MILLION * share);
      linkFarm(join(folder, SITE, 'farm'), 0.1 * MILLION * share);
    },
    attack: flood((i) => (i % 2 === 0 ? search(i) : (listings[(i >> 1) % listings.length] ?? '')), 24),
  },
  {
    name: 'a hundred thousand database files',
    prepare: (folder, share) => linkFarm(join(folder, 'databases'), 0.1 * MILLION * share),
    attack: flood((i) => (i % 2 === 0 ? '/api/mysql-size' : '/api/docker_databases'), 24),
  },
  {
    name: 'wrong logins from the networks of one /48',
    attack: async (estate, signal) => {
      let i = 0;
      const client = async () => {
        while (!signal.aborted) {
          const from = `2001:db8:1:${((i += 1) % 65_536).toString(16)}::1`;
          await estate.login(i % 2 === 0 ? 'victim' : `nobody${i}`, `wrong ${i}`, from, signal);
        }
      };
      await Promise.all(Array.from({ length: 100 }, client));
    },
  },
  {
    name: 'right logins without end',
    attack: async (estate, signal) => {
      const client = async () => {
        while (!signal.aborted) {
          await estate.login('villain', estate.password, '203.0.113.9', signal);
          await estate.ask(estate.villain, '/api/account/sessions', {}, signal);
        }
      };
      await Promise.all(Array.from({ length: 16 }, client));
    },
  },
  {
    name: 'subdomains without end',
    attack: async (estate, signal) => {
      for (let i = 0; !signal.aborted; i += 1)
        await estate.ask(
          estate.villain,
          '/api/domains/new',
          { method: 'POST', body: { domain_url: `s${i}.${SITE}`, docroot: `/var/www/html/${SITE}` } },
          signal,
        );
    },
  },
  {
    name: 'streams without end',
    attack: flood(() => '/api/usage/stream', 200, 'admin'),
  },
  {
    name: 'large and deep requests',
    attack: async (estate, signal) => {
      const body = { [`${'['.repeat(20_000)}`]: 'x'.repeat(40_000) };
      const client = async () => {
        while (!signal.aborted)
          for (const path of ['/api/favorites', '/api/login', '/api/domains/new'])
            await estate.ask(estate.villain, path, { method: 'POST', body }, signal);
      };
      await Promise.all(Array.from({ length: 16 }, client));
    },
  },
  {
    name: 'bodies by the byte',
    attack: async (estate, signal, share) => {
      await Promise.all(Array.from({ length: Math.ceil(SLOW_BODIES * share) }, () => drip(estate, signal)));
    },
  },
];
