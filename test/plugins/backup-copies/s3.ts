/** A server of S3 for tests: OpenStack Swift, all of whose servers are one process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { endsWithTests } from '../../support/child.ts';
import { atEnd } from '../../support/ending.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** The system's own, which has the modules of Debian's packages. */
const PYTHON = '/usr/bin/python3';
export const hasS3 = existsSync(PYTHON) && existsSync('/usr/lib/python3/dist-packages/swift');

/**
 * Serves a folder with one device and one replica, and prints the port of S3. Servers close each connection, because eventlet
 * sends a body's end after the reply to a HEAD. tempauth wants a cache, and does without if that does not answer.
 */
const SERVE = `
import sys, eventlet, eventlet.wsgi
eventlet.monkey_patch()
from swift.common import utils
from swift.common.http_protocol import SwiftHttpProtocol
from swift.common.ring import RingBuilder
from swift.common.wsgi import ConfigString, loadapp

folder = sys.argv[1]
utils.HASH_PATH_SUFFIX = b'tests'
DEFAULTS = f'[DEFAULT]\\nswift_dir = {folder}\\ndevices = {folder}\\nmount_check = false\\nlog_level = CRITICAL\\n'
PROXY = '''
[pipeline:main]
pipeline = cache s3api tempauth slo proxy-server
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_test_node = secret .admin
[filter:slo]
use = egg:swift#slo
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
'''

def listen(app):
    server = eventlet.listen(('127.0.0.1', 0))
    how = dict(protocol=SwiftHttpProtocol, keepalive=False, capitalize_response_headers=False)
    eventlet.spawn(eventlet.wsgi.server, server, loadapp(ConfigString(DEFAULTS + app)), utils.NullLogger(), **how)
    return server.getsockname()[1]

for kind in ('account', 'container', 'object'):
    port = listen(f'[app:main]\\nuse = egg:swift#{kind}\\n')
    ring = RingBuilder(1, 1, 1)
    ring.add_dev(dict(region=1, zone=1, weight=1, ip='127.0.0.1', port=port, device='device'))
    ring.rebalance()
    ring.get_ring().save(f'{folder}/{kind}.ring.gz')
print(listen(PROXY), flush=True)
eventlet.event.Event().wait()
`;

/** Starts a server that ends with the test or the suite. Resolves with its URL; `test:node` and `secret` open it. */
export async function startS3(): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'device'));
  const child = endsWithTests(spawn(PYTHON, ['-c', SERVE, folder], { stdio: ['ignore', 'pipe', 'pipe'] }));
  atEnd(() => child.kill('SIGKILL'));
  const told = await Promise.race([once(child.stdout, 'data'), text(child.stderr)]);
  if (typeof told === 'string') throw new Error(`Swift ended:\n${told}`);
  return `http://127.0.0.1:${String(told).trim()}`;
}
