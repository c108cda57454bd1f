#!/bin/sh
# Makes the secrets that docker-compose.yml mounts, in the folder `secrets`. Existing files are left unchanged.
set -eu
command -v openssl > /dev/null || { echo 'Install openssl first: it makes the secrets.' >&2; exit 1; }
cd "${1:-$(dirname "$0")/..}"
mkdir -p secrets
chmod 700 secrets

make() {
  [ -s "secrets/$1" ] || printf '%s\n' "$2" > "secrets/$1"
}

# The containers run as different users, and each reads the files that are mounted into it; the folder keeps others out.
umask 022
make secret-keys "k1:$(openssl rand -base64 32)"
make postgres-password "$(openssl rand -hex 24)"
make database-password "$(openssl rand -hex 24)"
make redis-password "$(openssl rand -hex 24)"
make database-url "postgres://countersign:$(cat secrets/database-password)@postgres:5432/countersign"
make redis-url "redis://:$(cat secrets/redis-password)@redis:6379"
