/**
 * The script of `PasswordHasher`'s threads: hashes a password, or verifies it against a hash, at the priority of jobs.
 */
import { constants, getPriority, setPriority } from 'node:os';
import { hashSync, verifySync } from '@node-rs/argon2';
import { serveRequests } from '../../kit/waiting/worker-script.ts';
import type { PasswordJob } from './password-hasher.ts';

/** The package exports its algorithms only as a const enum, which does not exist at run time. */
const ARGON2ID = 2;
/** At the lowest priority, a login would take seconds while customers' programs keep the processors busy. */
const NICER_BY = 5;

// on Linux this is the thread's priority, not the process's
setPriority(0, Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER_BY));

serveRequests<PasswordJob, string | boolean>(({ password, hash }) =>
  hash === undefined
    ? hashSync(password, { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 })
    : verifySync(hash, password),
);
