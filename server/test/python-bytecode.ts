// The environment that lets Python processes of tests share compiled modules, outside of the repository's sources.
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/python');

/** Compiling an agent framework takes as long as loading it compiled: each process would do it again. */
export const SHARED_BYTECODE = {
  // Python treats an empty value as unset.
  PYTHONDONTWRITEBYTECODE: '',
  PYTHONPYCACHEPREFIX: process.env.PYTHONPYCACHEPREFIX ?? FOLDER,
};
