/** The nginx that serves the domains of a demo. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import startDemoServer from '../../../../plugins/demo/demo-web-server.ts';
import { hostkeep, start } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { fetchPage } from '../../../support/page.ts';
import { testStore } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';

const test = testSuite('web server of the demo');

const refusal = (program: string) =>
  startDemoServer(join(temporaryFolder(), 'nginx'), program).then(
    ({ stop }) => stop(),
    (error: Error) => error.message,
  );

test('domains are not served without an nginx, or with one that does not start', async () => {
  assert.is(await refusal('/nonexistent/nginx'), 'nginx is not installed (apt-get install nginx-light)');
  assert.match((await refusal('/bin/false')) ?? '', /^nginx does not start/);
});

if (hasNginx())
  test('a second demo with the same data does not end the nginx of a running one', async () => {
    const [data, settings] = [temporaryFolder(), join(temporaryFolder(), 'settings.json')];
    writeFileSync(settings, JSON.stringify({ ...testStore(data), containers: { socket: '/nonexistent/docker.sock' } }));
    const demo = await start(data, ['--config', settings, 'demo'], /Ctrl-C stops it/, {
      MYSQL_UNIX_PORT: '/nonexistent/mysqld.sock',
    });
    try {
      const second = await hostkeep(data, ['--config', settings, 'demo']);
      assert.match(second.stderr, /already serves the data folder/);
      const port = Number(/http:\/\/127\.0\.0\.1:(\d+)\/ -H 'Host: /.exec(demo.output())?.[1] ?? 0);
      assert.is((await fetchPage(port, 'blog.sunny-garden.example')).status, 200);
    } finally {
      demo.child.kill('SIGTERM');
      await once(demo.child, 'exit');
    }
  });
