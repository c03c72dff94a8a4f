/** The worker script of `test/kernel/worker-pool.test.ts`. */
import { HttpError } from '../../kernel/errors.ts';
import { serveRequests } from '../../kernel/kit/waiting/worker-script.ts';

let answered = 0;

serveRequests<string, string | number>((question) => {
  answered += 1;
  if (question === 'count') return answered;
  if (question === 'refuse') throw new HttpError('folder_not_found', 'there is no such folder');
  if (question === 'fail') return Promise.reject(Object.assign(new Error('it broke'), { code: 'EBROKEN' }));
  if (question === 'die') process.exit(3);
  if (question === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return new Promise((resolve) => setImmediate(() => resolve(question.toUpperCase())));
});
