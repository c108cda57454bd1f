# One image for every role: `ROLES=web`, `ROLES=worker` or both, with PostgreSQL of their own or, without DATABASE_URL, the embedded
# one in /data. Glibc on purpose: the packages of PostgreSQL have no musl build; its programs need libstdc++, which Node needs too.

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY shared/package.json shared/
COPY server/package.json server/
COPY web/package.json web/

# Builds the page and the bundle of the server. Development packages stay in this stage.
FROM manifests AS build
RUN npm ci
COPY tsconfig.json ./
COPY shared shared
COPY scripts scripts
COPY web web
COPY server server
COPY docs/snippets docs/snippets
RUN npm run build

# The optional packages are the embedded PostgreSQL, and Node itself, which the image has.
FROM manifests AS packages
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data NODE_COMPILE_CACHE=/tmp/code
WORKDIR /app
RUN install -d -o node -g node /data
COPY --from=packages /app ./
COPY tsconfig.json ./
COPY shared shared
COPY --from=build /app/server server
# For the commands on the database: docker compose run --rm worker npm run invariants
COPY scripts scripts
COPY --from=build /app/web/build web/build
USER node
VOLUME /data
EXPOSE 3000
# Node itself is the process that gets SIGTERM: no shell and no npm in between.
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=30", "server/src/main.ts"]
