# What a bundler would do, without one.
set -eu
echo "building number $(cat number) as $(id -un)"
test -n "$BUILD_TOKEN"
mkdir dist
cp server.js migrate.js number dist/
for file in sick broken; do if [ -e "$file" ]; then cp "$file" dist/; fi; done
