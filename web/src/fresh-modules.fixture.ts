// Setup of test files that replace modules: what other files of the process have loaded has the real ones.
import { vi } from 'vitest';

vi.resetModules();
