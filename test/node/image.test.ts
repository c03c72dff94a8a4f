/** The image, loaded and run by a Docker Engine. */
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { versionOfProject } from '../../config/package/program-tree.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { NETWORK, TestDocker } from '../support/docker.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

/** The image that `npm run image` made. */
const IMAGE = join(projectDir, `dist/package/hostkeep-${versionOfProject()}-image.tar`);

const test = testSuite('node: image');

test('the image runs, is healthy, and keeps its store when it is recreated', async () => {
  const docker = await TestDocker.start();
  try {
    await docker.cli('load', '--input', IMAGE);
    const start = () =>
      docker.cli(
        ...['run', '--detach', '--name', 'node', '--network', NETWORK, '--read-only', '--tmpfs', '/tmp'],
        ...['--cap-drop', 'ALL', '--volume', 'node-data:/var/lib/hostkeep', '--publish', '127.0.0.1:2087:2087'],
        `hostkeep:${versionOfProject()}`,
      );
    const login = (password: string) =>
      docker.inNetwork(
        ...[
          'curl',
          '--silent',
          '--output',
          '/dev/null',
          '--write-out',
          '%{http_code}',
          '--header',
          'content-type: application/json',
        ],
        ...['--data', JSON.stringify({ username: 'root', password }), 'http://127.0.0.1:2087/api/login'],
      );
    const state = (of: string) => docker.cli('inspect', '--format', `{{${of}}}`, 'node');
    await start();
    await until('it is healthy', async () => (await state('.State.Health.Status')) === 'healthy');
    const added = await docker.cli('exec', 'node', 'hostkeep', 'account', 'add', '--admin', 'root', '--json');
    const { password } = JSON.parse(added) as { password: string };
    assert.is(await login(password), '200');

    await docker.cli('stop', 'node');
    assert.is(await state('.State.ExitCode'), '0');
    await docker.cli('rm', 'node');
    await start();
    await until('it is healthy again', async () => (await state('.State.Health.Status')) === 'healthy');
    assert.is(await login(password), '200');
  } finally {
    await docker.stop();
  }
});
