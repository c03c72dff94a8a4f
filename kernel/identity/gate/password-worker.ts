/**
 * The script of `PasswordHasher`'s threads: hashes a password, or verifies it against a hash, at the priority of jobs.
 */
import { setPriority } from 'node:os';
import { hashSync, verifySync } from '@node-rs/argon2';
import { priorityBelow } from '../../kit/programs/lower-priority.ts';
import { serveRequests } from '../../kit/waiting/worker-script.ts';
import type { PasswordJob } from './password-hasher.ts';

/** The package exports its algorithms only as a const enum, which does not exist at run time. */
const ARGON2ID = 2;

setPriority(0, priorityBelow()); // on Linux this is the thread's priority, not the process's

serveRequests<PasswordJob, string | boolean>(({ password, hash }) =>
  hash === undefined
    ? hashSync(password, { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 })
    : verifySync(hash, password),
);
