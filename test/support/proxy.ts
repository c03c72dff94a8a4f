/**
 * Real proxies that run the shipped snippets of config/proxy, each stopped when this process exits.
 *
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { selfSigned } from './certificate.ts';
import { endsWithTests } from './child.ts';
import { temporaryFolder } from './folder.ts';
import { freePort } from './port.ts';
import { reportSkipped } from './suite.ts';
import { until } from './until.ts';

export const PROXIES = ['nginx', 'caddy', 'haproxy'] as const;
export type ProxyName = (typeof PROXIES)[number];

interface Site {
  /** host:port of the server behind the proxy. */
  readonly upstream: string;
  readonly secret: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly folder: string;
}

/** A snippet with this machine's values in place of its own, and how its program is started. */
interface Recipe {
  readonly program: readonly string[];
  prepare(site: Site): { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> };
}

/** Replaces each text of the snippet, which must hold it. */
function snippet(name: string, values: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(projectDir, 'config/proxy', name), 'utf8');
  for (const [from, to] of Object.entries(values)) {
    if (!text.includes(from)) throw new Error(`config/proxy/${name} does not hold ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

const RECIPES: Readonly<Record<ProxyName, Recipe>> = {
  nginx: {
    program: ['/usr/sbin/nginx', '/usr/bin/nginx'],
    prepare({ upstream, secret, httpPort, httpsPort, folder }) {
      const { cert, key } = selfSigned('panel.example');
      writeFileSync(join(folder, 'secret.conf'), `proxy_set_header X-Proxy-Secret "${secret}";\n`, { mode: 0o600 });
      const servers = snippet('nginx.conf', {
        'listen 80;': `listen 127.0.0.1:${httpPort};`,
        'listen 443 ssl;': `listen 127.0.0.1:${httpsPort} ssl;`,
        '/etc/ssl/certs/panel.example.pem': cert,
        '/etc/ssl/private/panel.example.key': key,
        'http://127.0.0.1:2083': `http://${upstream}`,
        '/etc/nginx/hostkeep-secret.conf': join(folder, 'secret.conf'),
      });
      mkdirSync(join(folder, 'temporary'));
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path temporary/${name};`)
        .join(' ');
      writeFileSync(
        join(folder, 'nginx.conf'),
        `${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes 1; daemon off; pid nginx.pid; error_log stderr;
        events { worker_connections 64; } http { ${temporary} access_log off; ${servers} }`,
      );
      return { args: ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'] };
    },
  },
  caddy: {
    program: ['/usr/bin/caddy', '/usr/local/bin/caddy'],
    prepare({ upstream, secret, httpPort, httpsPort, folder }) {
      writeFileSync(join(folder, 'secret'), `header_up X-Proxy-Secret "${secret}"\n`, { mode: 0o600 });
      const { cert, key } = selfSigned('panel.example');
      const site = snippet('Caddyfile', {
        'panel.example {': `panel.example {\n\ttls ${cert} ${key}\n\tbind 127.0.0.1`,
        '127.0.0.1:2083': upstream,
        '/etc/caddy/hostkeep-secret': join(folder, 'secret'),
      });
      const global = ['admin off', `http_port ${httpPort}`, `https_port ${httpsPort}`];
      writeFileSync(join(folder, 'Caddyfile'), `{\n${global.join('\n')}\n}\n${site}`);
      return {
        args: ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')],
        env: { HOME: folder, XDG_DATA_HOME: join(folder, 'data'), XDG_CONFIG_HOME: join(folder, 'config') },
      };
    },
  },
  haproxy: {
    program: ['/usr/sbin/haproxy'],
    prepare({ upstream, secret, httpPort, httpsPort, folder }) {
      const { cert, key } = selfSigned('panel.example');
      writeFileSync(join(folder, 'panel.pem'), readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'), { mode: 0o600 });
      const text = snippet('haproxy.cfg', {
        'bind :80': `bind 127.0.0.1:${httpPort}`,
        'bind :443': `bind 127.0.0.1:${httpsPort}`,
        '/etc/haproxy/panel.example.pem': join(folder, 'panel.pem'),
        '127.0.0.1:2083': upstream,
      });
      writeFileSync(join(folder, 'haproxy.cfg'), text);
      return { args: ['-db', '-f', join(folder, 'haproxy.cfg')], env: { HOSTKEEP_PROXY_SECRET: secret } };
    },
  },
};

/** Whether the program is installed. Throws in CI if it is not. */
export function hasProxy(name: ProxyName): boolean {
  if (programOf(name) !== undefined) return true;
  reportSkipped(`tests with a real ${name}; install it with apt-get install -y ${name}`);
  return false;
}

function programOf(name: ProxyName): string | undefined {
  return RECIPES[name].program.find((path) => existsSync(path));
}

export class Proxy {
  readonly httpPort: number;
  readonly #httpsPort: number;
  readonly #child: ChildProcess;

  private constructor(httpPort: number, httpsPort: number, child: ChildProcess) {
    this.httpPort = httpPort;
    this.#httpsPort = httpsPort;
    this.#child = child;
  }

  /** Starts a proxy in front of `upstream`, a URL, and resolves once it listens. */
  static async start(name: ProxyName, upstream: string, secret: string): Promise<Proxy> {
    const [httpPort, httpsPort, folder] = [await freePort(), await freePort(), temporaryFolder()];
    const { args, env } = RECIPES[name].prepare({
      upstream: new URL(upstream).host,
      secret,
      httpPort,
      httpsPort,
      folder,
    });
    const child = endsWithTests(
      spawn(programOf(name) ?? '', args, {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
      'SIGTERM', // SIGKILL would leave nginx's workers
    );
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const proxy = new Proxy(httpPort, httpsPort, child);
    await until(`${name} answers`, async () => {
      if (child.exitCode !== null) throw new Error(`${name} did not start:\n${log}`);
      return proxy.open('/healthz', '127.0.0.1').then(
        (reply) => reply.resume().statusCode === 200,
        () => false,
      );
    });
    return proxy;
  }

  /** Sends a request over HTTPS from this loopback address. Resolves with the head of the reply. */
  async open(
    path: string,
    from: string,
    { method = 'GET', headers = {} }: RequestOptions = {},
    body?: string | Buffer,
  ): Promise<IncomingMessage> {
    const sent = request({
      host: '127.0.0.1',
      port: this.#httpsPort,
      servername: 'panel.example',
      rejectUnauthorized: false,
      agent: false,
      localAddress: from,
      path,
      method,
      headers: { host: 'panel.example', ...headers },
    });
    const reply = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.end(body);
    return (await reply)[0];
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }
}
