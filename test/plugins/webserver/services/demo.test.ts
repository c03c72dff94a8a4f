/** The nginx that serves the domains of a demo. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { startDemoServer } from '../../../../plugins/webserver/demo.ts';
import type { WebserverConfig } from '../../../../plugins/webserver/schema.ts';
import { start } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { fetchPage } from '../../../support/page.ts';
import { testStore } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';

const test = testSuite('webserver of the demo');

const refusal = (folder: string, find?: () => string | undefined) =>
  startDemoServer({ driver: 'none' } as WebserverConfig, folder, find).then(
    ({ stop }) => stop(),
    (error: Error) => error.message,
  );

test('domains are not served without an nginx, or with one that does not start', async () => {
  assert.is(
    await refusal(join(temporaryFolder(), 'nginx'), () => undefined),
    'nginx is not installed (apt-get install nginx-light)',
  );
  assert.match((await refusal(join(temporaryFolder(), 'nginx'), () => '/bin/false')) ?? '', /^nginx does not start/);
});

if (hasNginx())
  test('a second demo with the same data does not end the nginx of a running one', async () => {
    const [data, settings] = [temporaryFolder(), join(temporaryFolder(), 'settings.json')];
    writeFileSync(settings, JSON.stringify({ ...testStore(data), containers: { socket: '/nonexistent/docker.sock' } }));
    const demo = await start(data, ['--config', settings, 'demo'], /Ctrl-C stops it/, {
      MYSQL_UNIX_PORT: '/nonexistent/mysqld.sock',
    });
    try {
      assert.is(await refusal(join(data, 'nginx')), 'another demo with the same data is running');
      const port = Number(/http:\/\/127\.0\.0\.1:(\d+)\/ -H 'Host: /.exec(demo.output())?.[1] ?? 0);
      assert.is((await fetchPage(port, 'blog.sunny-garden.example')).status, 200);
    } finally {
      demo.child.kill('SIGTERM');
      await once(demo.child, 'exit');
    }
  });
